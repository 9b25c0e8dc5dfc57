import { textSchema } from "../../json/json-value.ts";
import * as z from "../../json/schema.ts";
import { type StructuredSummary, structuredSummarySchema } from "../../summary/structured-summary.ts";
import { type ResolvedItem, resolvedItemSchema } from "../../summary/summary-change.ts";
import { restrictSummary } from "../../summary/trim-summary.ts";
import { type SpanReference, spanStart } from "../../thread/span-reference.ts";
import { type RecordBase, type RecordKind, recordBase } from "./record-kind.ts";

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
function withGathered({ span: own, summary }: SummarizationRecord, part: SpanReference): SpanReference {
  const { messageIds, firstTurn } = summary.span;
  if (messageIds === own.messageIds || messageIds.length === own.messageIds.length) return part;
  const [inPlace, kept] = [new Set(own.messageIds), new Set(part.messageIds)];
  return { ...part, firstTurn, messageIds: messageIds.filter((id) => kept.has(id) || !inPlace.has(id)) };
}

/** Summarizing: one summary replaces a span and is shown in place of its first message. */
export const summarize: RecordKind<SummarizationRecord, "summarizations", ShownSummary> = {
  list: "summarizations",
  precedence: 2,
  mayHoldOpaque: "unless-compaction",
  removes: () => true,
  restrict: (record, { span, originalTokens, runs, index }) => {
    const covered = index === 0 ? withGathered(record, span) : span;
    return {
      ...record,
      span: covered === span ? span : { ...span, firstTurn: covered.firstTurn },
      originalTokens,
      summary: restrictSummary(record.summary, covered, runs, index),
    };
  },
  show: (record, message) => (spanStart(record.span) === message.id ? { type: "summary", record } : null),
  keepsText: () => false,
  previewOf: () => undefined,
  artifactOf: () => undefined,
};
