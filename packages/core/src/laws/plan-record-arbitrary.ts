import fc from "fast-check";
import { type SpanReference, spanOf } from "../groups/span-reference.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { ArtifactId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import type { BodyPreview, ClearTarget, KeptEnds, PlanRecord } from "../plan/plan-record.ts";
import { SUMMARY_SECTIONS } from "../summary/structured-summary.ts";
import { applySummaryChanges, type ResolvedItem, type SummaryChange } from "../summary/summary-change.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { artifactIds } from "./summary-arbitrary.ts";
import { jsonObjects, proseTexts } from "./text-arbitrary.ts";

/** A span before the thread is known: a run of messages, some of them left out. */
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

/** Spans of a thread, which must hold a message: mostly runs of messages, sometimes with holes. */
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
  fc.record({
    action: fc.constant("externalize" as const),
    form: fc.constantFrom("body" as const, "span" as const),
    artifactId: artifactIds,
    rehydrateHint: fc.constantFrom("", "when the file is edited again"),
    fact: proseTexts,
  }),
  fc.record({
    action: fc.constant("summarize" as const),
    summaryTokens: fc.nat(2_000),
    summarizer: fc.constantFrom("extractive@1", "llm@1"),
    resolved: fc.array(resolvedItems, { maxLength: 2 }),
    fact: proseTexts,
  }),
  fc.record(
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
  fc.record({
    action: fc.constant("drop" as const),
    keywords: fc.array(fc.constantFrom("test", "deploy", "naïve"), { maxLength: 3 }),
  }),
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

/** Records of all four actions over a span, valid by schema. An externalized body takes the span's first message alone. */
export const planRecordsOver = (span: SpanReference): fc.Arbitrary<PlanRecord> =>
  fc.tuple(bases, recordDrafts).map(([base, draft]) => ({ ...base, ...recordFrom(draft, span) }) as PlanRecord);

const placedDrafts = fc.array(fc.tuple(bases, recordDrafts, spanDrafts), { maxLength: 8 });

/**
 * Up to eight records over random spans of a thread. They overlap, cut groups in half and know no precedence: they are
 * what `normalizePlan` has to make a plan of. Empty for a thread without messages.
 */
export function planRecordsFor(thread: AgentThread): fc.Arbitrary<readonly PlanRecord[]> {
  if (thread.length === 0) return fc.constant([]);
  const messages = thread.messagesBetween(0);
  return placedDrafts.map((list) =>
    list.map(([base, draft, span]) => ({ ...base, ...recordFrom(draft, spanFrom(span, messages)) }) as PlanRecord),
  );
}
