import fc from "fast-check";
import type { JsonObject } from "../json/json-value.ts";
import { type ArtifactId, asArtifactId, type MessageId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import type { ToolOutcomeStatus } from "../model/part.ts";
import type { ClearTarget } from "../plan/kinds/clear.ts";
import type { BodyPreview, KeptEnds } from "../plan/kinds/record-kind.ts";
import type { PlanRecord, RecordAction } from "../plan/plan-record.ts";
import {
  type OpenItem,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummarySection,
} from "../summary/structured-summary.ts";
import {
  applySummaryChanges,
  type NewItem,
  type ResolvedItem,
  type SummaryChange,
  summaryItemId,
} from "../summary/summary-change.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { type SpanReference, spanOf } from "../thread/span-reference.ts";
import { hostileTexts, jsonObjects, proseTexts } from "./text-arbitrary.ts";

/** Random ids in the form of artifact ids. */
export const artifactIds: fc.Arbitrary<ArtifactId> = fc
  .bigInt({ min: 0n, max: (1n << 96n) - 1n })
  .map((value) => asArtifactId(`artifact_${value.toString(16).padStart(24, "0")}`));

const text = fc.oneof({ weight: 5, arbitrary: proseTexts }, { weight: 1, arbitrary: hostileTexts });
const short = fc.constantFrom("", "a", "src/index.ts", "npm test", "must not break");

/** Items of each section; their sources and turns are numbers that {@link placed} maps to those of a span. */
const itemDrafts = {
  constraints: fc.record({ text }),
  facts: fc.record({ text }),
  decisions: fc.record({ decision: text, rationale: short, turn: fc.nat(100) }),
  openItems: fc.record(
    {
      description: text,
      context: short,
      priority: fc.constantFrom("high" as const, "medium" as const, "low" as const),
      status: fc.constantFrom<OpenItem["status"]>("open", "asked", "done", "cancelled", "lapsed"),
      kind: fc.constantFrom<NonNullable<OpenItem["kind"]>>("request", "question", "todo", "chapter"),
      turn: fc.nat(100),
    },
    { requiredKeys: ["description", "context", "priority", "status"] },
  ),
  files: fc.record({
    path: short,
    action: fc.constantFrom("read" as const, "created" as const, "modified" as const, "deleted" as const),
    description: short,
  }),
  toolOutcomes: fc.record({
    toolName: short,
    outcome: fc.constantFrom<ToolOutcomeStatus>("success", "failure", "partial"),
    keyFields: jsonObjects,
    errorMessage: fc.option(short),
  }),
  errors: fc.record({ error: text, resolution: fc.option(short) }),
  artifacts: fc.record({ artifactId: artifactIds, description: short, rehydrateHint: short }),
  identifiers: fc.record({ text: short }),
} satisfies { readonly [Section in SummarySection]: fc.Arbitrary<Omit<NewItem<Section>, "sources">> };

interface ItemDraft {
  readonly section: SummarySection;
  readonly content: object;
  readonly sources: readonly number[];
}

const sourcePicks = fc.array(fc.nat(50), { maxLength: 3 });
const draftOf = (section: SummarySection): fc.Arbitrary<ItemDraft> =>
  fc.record({
    section: fc.constant(section),
    content: itemDrafts[section] as fc.Arbitrary<object>,
    sources: sourcePicks,
  });
const drafts = fc.oneof(...SUMMARY_SECTIONS.map(draftOf));

function placed({ content, sources }: ItemDraft, span: SpanReference): NewItem<SummarySection> {
  const { messageIds, firstTurn, lastTurn } = span;
  const ids = new Set(sources.map((pick) => messageIds[pick % messageIds.length] as MessageId));
  const turn = firstTurn + (("turn" in content ? (content.turn as number) : 0) % (lastTurn - firstTurn + 1));
  return {
    ...content,
    ...("turn" in content && { turn }),
    sources: [...ids],
  } as unknown as NewItem<SummarySection>;
}

type SetDraft =
  | { readonly op: "set-original-task" | "set-narrative"; readonly text: string }
  | { readonly op: "set-current-task"; readonly task: string | null }
  | { readonly op: "set-current-plan"; readonly plan: string[] | null };

const setDrafts: fc.Arbitrary<SetDraft> = fc.oneof(
  fc.record({ op: fc.constant("set-original-task" as const), text: proseTexts }),
  fc.record({ op: fc.constant("set-narrative" as const), text: fc.oneof(proseTexts, hostileTexts) }),
  fc.record({ op: fc.constant("set-current-task" as const), task: fc.option(proseTexts) }),
  fc.record({ op: fc.constant("set-current-plan" as const), plan: fc.option(fc.array(proseTexts, { maxLength: 3 })) }),
);

const additionDrafts = fc.array(fc.oneof({ weight: 5, arbitrary: drafts }, { weight: 1, arbitrary: setDrafts }), {
  maxLength: 8,
});

function additionFrom(draft: ItemDraft | SetDraft, span: SpanReference): SummaryChange {
  if ("section" in draft) return { op: "add", section: draft.section, item: placed(draft, span) } as SummaryChange;
  if (!("text" in draft)) return draft;
  const said = { text: draft.text, sources: span.messageIds.slice(0, 1) };
  return draft.op === "set-narrative" ? { op: draft.op, narrative: said } : { op: draft.op, task: said };
}

/** Generates changes that only add and set, like those of the first fold of a span. */
export const summaryAdditions = (span: SpanReference): fc.Arbitrary<readonly SummaryChange[]> =>
  additionDrafts.map((list) => list.map((draft) => additionFrom(draft, span)));

/** Generates summaries of a span as real ones are made: by applying changes. */
export const structuredSummaries = (span: SpanReference): fc.Arbitrary<StructuredSummary> =>
  summaryAdditions(span).map((changes) => applySummaryChanges(null, span, changes).summary);

const removalDrafts = fc.array(fc.record({ target: fc.nat(1_000), successor: fc.option(drafts) }), { maxLength: 4 });

/** Generates changes to a summary: additions, and resolving or superseding of existing, added and unknown items. */
export function summaryChanges(
  span: SpanReference,
  previous: StructuredSummary | null = null,
): fc.Arbitrary<readonly SummaryChange[]> {
  return fc.tuple(summaryAdditions(span), removalDrafts).map(([added, removals]) => {
    const targets = [...itemsOf(previous), ...added.flatMap(itemAdded), ...SUMMARY_SECTIONS.map(unknownItem)];
    return [
      ...added,
      ...removals.map(({ target, successor }) => removal(targets[target % targets.length] as Target, successor, span)),
    ];
  });
}

/** An item to remove: its section and id. */
type Target = readonly [section: SummarySection, itemId: string];

const unknownItem = (section: SummarySection): Target => [section, "000000000000"];
const itemAdded = (change: SummaryChange): readonly Target[] =>
  change.op === "add" ? [[change.section, summaryItemId(change.section, change.item)]] : [];
const itemsOf = (summary: StructuredSummary | null): readonly Target[] =>
  summary === null
    ? []
    : SUMMARY_SECTIONS.flatMap((section) => summary[section].map((item): Target => [section, item.id]));

/** A successor of another section counts as none: the target is then resolved. */
function removal([section, itemId]: Target, successor: ItemDraft | null, span: SpanReference): SummaryChange {
  if (successor?.section !== section) return { op: "resolve", section, itemId, reason: "finished" };
  return { op: "supersede", section, itemId, item: placed(successor, span) } as SummaryChange;
}

/** A span before the thread is known: a run of messages, some of which may be left out. */
interface SpanDraft {
  readonly start: number;
  readonly length: number;
  readonly leftOut: readonly number[];
}

const spanDrafts: fc.Arbitrary<SpanDraft> = fc.record({
  start: fc.nat(1_000),
  length: fc.integer({ min: 1, max: 10 }),
  leftOut: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }) },
  ),
});

function spanFrom({ start, length, leftOut }: SpanDraft, messages: readonly Message[]): SpanReference {
  const first = start % messages.length;
  return spanOf(messages.slice(first, first + length).filter((_, index) => !leftOut.includes(index)));
}

/** Generates spans of a thread, which must not be empty: mostly contiguous runs of messages, sometimes with gaps. */
export function spansOf(thread: AgentThread): fc.Arbitrary<SpanReference> {
  const messages = thread.messagesBetween(0);
  return spanDrafts.map((draft) => spanFrom(draft, messages));
}

type RecordDraft =
  | {
      readonly action: "externalize";
      readonly form: "body" | "span";
      readonly artifactId: ArtifactId;
      readonly rehydrateHint: string;
      readonly fact: string;
    }
  | {
      readonly action: "summarize";
      readonly summaryTokens: number;
      readonly summarizer: string;
      readonly resolved: readonly ResolvedItem[];
      readonly fact: string;
    }
  | {
      readonly action: "clear";
      readonly targets: readonly ClearTarget[];
      readonly preservedFields: JsonObject;
      readonly keep?: KeptEnds | BodyPreview;
    }
  | { readonly action: "drop"; readonly keywords: readonly string[] };

const CLEAR_TARGETS: ClearTarget[] = ["tool-result", "tool-input", "reasoning", "media", "text"];

const resolvedItems: fc.Arbitrary<ResolvedItem> = fc.record({
  section: fc.constantFrom(...SUMMARY_SECTIONS),
  item: fc.constant({ id: "0123456789ab", sources: [] }),
  reason: proseTexts,
});

const recordDrafts: fc.Arbitrary<RecordDraft> = fc.oneof(
  ...Object.values({
    externalize: fc.record({
      action: fc.constant("externalize" as const),
      form: fc.constantFrom("body" as const, "span" as const),
      artifactId: artifactIds,
      rehydrateHint: fc.constantFrom("", "when the file is edited again"),
      fact: proseTexts,
    }),
    summarize: fc.record({
      action: fc.constant("summarize" as const),
      summaryTokens: fc.nat(2_000),
      summarizer: fc.constantFrom("extractive@1", "llm@1"),
      resolved: fc.array(resolvedItems, { maxLength: 2 }),
      fact: proseTexts,
    }),
    clear: fc.record(
      {
        action: fc.constant("clear" as const),
        targets: fc.subarray(CLEAR_TARGETS, { minLength: 1 }),
        preservedFields: jsonObjects,
        keep: fc.record(
          { headCharacters: fc.nat(200), tailCharacters: fc.nat(200), leftOutTokens: fc.nat(200) },
          { requiredKeys: ["headCharacters", "tailCharacters"] },
        ),
      },
      { requiredKeys: ["action", "targets", "preservedFields"] },
    ),
    drop: fc.record({
      action: fc.constant("drop" as const),
      keywords: fc.array(fc.constantFrom("test", "deploy", "naïve"), { maxLength: 3 }),
    }),
  } satisfies Record<RecordAction, fc.Arbitrary<RecordDraft>>),
);

const bases = fc.record({
  strategy: fc.constantFrom("externalize", "summarize", "clear", "drop", "sliding-window"),
  reason: fc.constantFrom("older than the recent turns", "large result"),
  sincePlanVersion: fc.integer({ min: 1, max: 5 }),
  originalTokens: fc.nat(20_000),
});

function recordFrom(draft: RecordDraft, span: SpanReference): object {
  if (!("fact" in draft)) return { ...draft, span };
  const { fact, ...rest } = draft;
  const covered =
    draft.action === "externalize" && draft.form === "body"
      ? { ...span, messageIds: span.messageIds.slice(0, 1), lastTurn: span.firstTurn }
      : span;
  const changes: readonly SummaryChange[] = [
    { op: "add", section: "facts", item: { text: fact, sources: covered.messageIds } },
  ];
  return { ...rest, span: covered, summary: applySummaryChanges(null, covered, changes).summary };
}

/** Generates records of all four actions over a span. An externalized body covers only the span's first message. */
export const planRecordsOver = (span: SpanReference): fc.Arbitrary<PlanRecord> =>
  fc.tuple(bases, recordDrafts).map(([base, draft]) => ({ ...base, ...recordFrom(draft, span) }) as PlanRecord);

const placedDrafts = fc.array(fc.tuple(bases, recordDrafts, spanDrafts), { maxLength: 8 });

/**
 * Generates up to eight records over random spans of a thread. They overlap, split groups and follow no precedence:
 * input that `normalizePlan` must turn into a plan. Empty for a thread without messages.
 */
export function planRecordsFor(thread: AgentThread): fc.Arbitrary<readonly PlanRecord[]> {
  if (thread.length === 0) return fc.constant([]);
  const messages = thread.messagesBetween(0);
  return placedDrafts.map((list) =>
    list.map(([base, draft, span]) => ({ ...base, ...recordFrom(draft, spanFrom(span, messages)) }) as PlanRecord),
  );
}

/** Returns the records that share no message with an earlier one returned, as a plan requires. */
export function withoutOverlaps(records: readonly PlanRecord[]): readonly PlanRecord[] {
  const held = new Set<MessageId>();
  return records.filter(({ span: { messageIds } }) => {
    if (messageIds.some((id) => held.has(id))) return false;
    for (const id of messageIds) held.add(id);
    return true;
  });
}
