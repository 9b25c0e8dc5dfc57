import {
  type AgentThread,
  type CompactionPlan,
  type MessageId,
  outlineOf,
  type PlanRecord,
  planRecords,
  type SpanReference,
  SUMMARY_SECTIONS,
  spanLength,
  spanStart,
} from "@threadfold/core";
import type { PlanRow, RecordRow } from "../rows/plan-row.ts";
import { type Revision, RowList } from "../rows/table.ts";

/** The differences from one plan to the next, as indexes into the records. */
export type RecordChanges = Pick<PlanRow, "added" | "removed">;

/**
 * The decisions in the plans of a thread, each listed once: a record that a plan takes over from the previous one is
 * the same row. Plans are added oldest first. Records that differ in any field are different rows, as in `planDiff`.
 */
export class RecordTable {
  readonly list: RowList<RecordRow>;
  readonly #thread: () => AgentThread;
  /** The records of the newest plan: index and text of each, by action and first message. */
  #newest: ReadonlyMap<string, { readonly place: number; readonly text: string }> = new Map();

  constructor(thread: () => AgentThread, revision: Revision) {
    this.#thread = thread;
    this.list = new RowList(revision);
  }

  get rows(): readonly RecordRow[] {
    return this.list.rows;
  }

  /** Returns the index of the newest plan's record with this action on a span that starts there; -1 for none. */
  placeOf(action: PlanRecord["action"], start: MessageId): number {
    return this.#newest.get(`${action} ${start}`)?.place ?? -1;
  }

  take(plan: CompactionPlan): RecordChanges {
    const before = this.#newest;
    const now = new Map<string, { readonly place: number; readonly text: string }>();
    const added: number[] = [];
    for (const record of planRecords(plan)) {
      const key = `${record.action} ${spanStart(record.span)}`;
      const text = JSON.stringify(record);
      const known = before.get(key);
      const place = known?.text === text ? known.place : this.rows.length;
      if (place === this.rows.length) {
        added.push(place);
        this.list.push(recordRow(record, plan.version, this.#thread()));
      } else this.list.put(place, { ...(this.rows[place] as RecordRow), toPlan: plan.version });
      now.set(key, { place, text });
    }
    this.#newest = now;
    const kept = new Set([...now.values()].map(({ place }) => place));
    const removed = [...before.values()].map(({ place }) => place).filter((place) => !kept.has(place));
    return { added, removed };
  }
}

function recordRow(record: PlanRecord, version: number, thread: AgentThread): RecordRow {
  const { action, strategy, reason, sincePlanVersion, span, originalTokens } = record;
  return {
    action,
    strategy,
    reason,
    since: sincePlanVersion,
    fromPlan: version,
    toPlan: version,
    runs: runsOf(span, thread),
    messages: spanLength(span),
    originalTokens,
    shownTokens: shownTokens(record),
    artifact: record.action === "externalize" ? record.artifactId : null,
    summarizer: record.action === "summarize" ? record.summarizer : null,
    items: record.action === "summarize" ? itemCounts(record) : null,
    keywords: record.action === "drop" ? record.keywords : [],
  };
}

function shownTokens(record: PlanRecord): number | null {
  if (record.action === "summarize") return record.summaryTokens;
  return record.action === "drop" ? 0 : null;
}

const itemCounts = ({ summary }: Extract<PlanRecord, { action: "summarize" }>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    SUMMARY_SECTIONS.map((section) => [section, summary[section].length] as const).filter(([, count]) => count > 0),
  );

/** Returns runs of ordinals: the first and the last of each. */
function runsOf(span: SpanReference, thread: AgentThread): readonly number[] {
  const outline = outlineOf(span);
  if (outline !== undefined) return outline.runs.flatMap(({ fromOrdinal, toOrdinal }) => [fromOrdinal, toOrdinal]);
  const { messageIds: ids } = span;
  const first = ordinalOf(ids[0], thread);
  const last = ordinalOf(ids.at(-1), thread);
  // Ids of a span are distinct and in thread order: if there are as many as positions, they are all there.
  if (last - first + 1 === ids.length) return [first, last];
  const runs: number[] = [];
  for (const id of ids) {
    const ordinal = ordinalOf(id, thread);
    if (runs.length > 0 && runs.at(-1) === ordinal - 1) runs[runs.length - 1] = ordinal;
    else runs.push(ordinal, ordinal);
  }
  return runs;
}

const ordinalOf = (id: MessageId | undefined, thread: AgentThread): number =>
  (id === undefined ? undefined : thread.messageInMemory(id)?.ordinal) ?? -1;
