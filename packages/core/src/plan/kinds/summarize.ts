import { textSchema } from "../../json/json-value.ts";
import * as z from "../../json/schema.ts";
import { type StructuredSummary, structuredSummarySchema } from "../../summary/structured-summary.ts";
import { type ResolvedItem, resolvedItemSchema } from "../../summary/summary-change.ts";
import { belongsTo, restrictSummary } from "../../summary/trim-summary.ts";
import { type SpanReference, spanStart } from "../../thread/span-reference.ts";
import { type RecordBase, type RecordKind, recordBase, type SpanPart } from "./record-kind.ts";

/** A span that one summary replaces. */
export interface SummarizationRecord extends RecordBase {
  readonly action: "summarize";
  readonly summary: StructuredSummary;
  readonly summaryTokens: number;
  /** Name and version of the summarizer that made the summary. */
  readonly summarizer: string;
  /**
   * Items that the fold of `sincePlanVersion` removed from the summaries that it builds on, and why. The plans of
   * earlier folds say what those removed.
   */
  readonly resolved: readonly ResolvedItem[];
}

export const summarizationRecordSchema: z.ZodType<SummarizationRecord> = z.lazy(() =>
  z.object({
    ...recordBase,
    action: z.literal("summarize"),
    summary: structuredSummarySchema,
    summaryTokens: z.number().nonnegative(),
    summarizer: textSchema,
    resolved: z.array(resolvedItemSchema),
  }),
);

/** The summary that replaces a span. */
export interface ShownSummary {
  readonly type: "summary";
  readonly record: SummarizationRecord;
}

/**
 * Adds the messages that a summary stands for although they are not in its place: the part of a divided summary that
 * gets their items stands for them.
 */
function withGathered({ span: own, summary }: SummarizationRecord, { span, ordinals, shape }: SpanPart): SpanReference {
  const { messageIds } = summary.span;
  if (messageIds === own.messageIds || messageIds.length === own.messageIds.length) return span;
  const all = shape.ordinalsOf(summary.span) ?? [];
  const gathered = without(all, shape.ordinalsOf(own) ?? []);
  return gathered.length === 0 ? span : shape.spanOf([...gathered, ...ordinals].sort((a, b) => a - b));
}

/** Both in ascending order. */
function without(ordinals: readonly number[], others: readonly number[]): readonly number[] {
  let next = 0;
  return ordinals.filter((ordinal) => {
    while (next < others.length && (others[next] as number) < ordinal) next++;
    return others[next] !== ordinal;
  });
}

/** Summarizing: one summary replaces a span and is shown in place of its first message. */
export const summarize: RecordKind<SummarizationRecord, "summarizations", ShownSummary> = {
  list: "summarizations",
  precedence: 2,
  mayHoldOpaque: "unless-compaction",
  removes: () => true,
  restrict: (record, part) => {
    const { span, originalTokens, index } = part;
    const covered = index === 0 ? withGathered(record, part) : span;
    return {
      ...record,
      span: covered === span ? span : { ...span, firstTurn: covered.firstTurn },
      originalTokens,
      summary: restrictSummary(record.summary, covered, part),
      resolved: record.resolved.filter(({ item }) => belongsTo(item, part)),
    };
  },
  show: (record, message) => (spanStart(record.span) === message.id ? { type: "summary", record } : null),
  keepsText: () => false,
  previewOf: () => undefined,
  artifactOf: () => undefined,
};
