import * as z from "../json/schema.ts";
import { type ClearRecord, clear, type ShownCleared } from "./kinds/clear.ts";
import { type DropRecord, drop } from "./kinds/drop.ts";
import { type ExternalizationRecord, externalize, type ShownExternalized } from "./kinds/externalize.ts";
import type { BodyPreview, RecordKind } from "./kinds/record-kind.ts";
import { type ShownSummary, type SummarizationRecord, summarize } from "./kinds/summarize.ts";

/** What rendering does with a message. */
export const compactionActionSchema = z.enum(["include", "clear", "summarize", "externalize", "drop"]);
export type CompactionAction = z.infer<typeof compactionActionSchema>;

/** The records of a plan by kind. In a normalized plan, a message id is in at most one record. */
export interface PlanRecords {
  readonly externalizations: readonly ExternalizationRecord[];
  readonly summarizations: readonly SummarizationRecord[];
  readonly clearings: readonly ClearRecord[];
  readonly drops: readonly DropRecord[];
}

/** One decision of a plan. */
export type PlanRecord = PlanRecords[keyof PlanRecords][number];

/** What a record does: every action except leaving messages unchanged. */
export type RecordAction = Exclude<CompactionAction, "include">;

/** What a prompt shows for messages that a record names. */
export type ShownRecord = ShownCleared | ShownExternalized | ShownSummary;

type KindOf<One extends PlanRecord> = RecordKind<One, keyof PlanRecords, ShownRecord>;

/**
 * Every kind of record, in the order of a plan's lists. To add one, add its action above, its list in
 * {@link PlanRecords}, its file in `kinds` and its row here; the compiler reports every other place to change.
 */
export const RECORD_KINDS = Object.freeze({ externalize, summarize, clear, drop } satisfies {
  readonly [Action in RecordAction]: KindOf<Extract<PlanRecord, { readonly action: Action }>>;
});

/** Returns the kind of a record. */
export const kindOf = (record: PlanRecord): KindOf<PlanRecord> => RECORD_KINDS[record.action];

/** The precedence of each action: when records overlap, the higher one wins. */
export const COMPACTION_PRECEDENCE: Readonly<Record<CompactionAction, number>> = Object.freeze({
  drop: drop.precedence,
  externalize: externalize.precedence,
  summarize: summarize.precedence,
  clear: clear.precedence,
  include: 0,
});

/** Every action of a record, strongest first. */
export const STRONGEST_FIRST: readonly RecordAction[] = (Object.keys(RECORD_KINDS) as RecordAction[]).sort(
  (a, b) => COMPACTION_PRECEDENCE[b] - COMPACTION_PRECEDENCE[a],
);

/** The part of an unread body that a record shows; undefined if it shows none or the body had been read already. */
export const previewOf = (record: PlanRecord): BodyPreview | undefined => kindOf(record).previewOf(record);

/** True when a record removes its messages from the prompt, which must then happen to whole groups. */
export const removesMessages = (record: PlanRecord): boolean => kindOf(record).removes(record);

/** Builds the lists of a plan by calling `listOf` for each of them. */
export function mapLists(
  listOf: (list: keyof PlanRecords, action: RecordAction) => readonly PlanRecord[],
): PlanRecords {
  const lists = Object.entries(RECORD_KINDS).map(([action, { list }]) => [list, listOf(list, action as RecordAction)]);
  return Object.fromEntries(lists) as unknown as PlanRecords;
}
