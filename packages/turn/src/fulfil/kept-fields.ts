import {
  applySummaryChanges,
  type DropRecord,
  type Message,
  mergeSummaries,
  type PlanRecord,
  type SpanReference,
  type StructuredSummary,
  type SummarizationRecord,
  type SummaryChange,
  trimSummary,
} from "@threadfold/core";
import { type OwedItems, owedItems } from "./coded-changes.ts";
import { type Fulfilment, knownOrdinals } from "./fulfilment.ts";

/** Summarizer id of the summaries that replace dropped messages and contain only what was declared in those. */
export const KEPT_FIELDS = "kept-fields@1";

/**
 * Returns the records of a fold, changed so that no drop loses declared fields or references to artifacts: if dropped
 * messages have any, one summary of just these replaces the last such drop, and absorbs those of earlier folds, so that
 * a prompt contains only one at a time. Other drops stay as they are. A fold that has no room for any summary drops
 * everything.
 *
 * @param gathered messages that leave the prompt because a summary of this fold covers them.
 */
export async function withKeptFields(
  records: readonly PlanRecord[],
  gathered: ReadonlySet<string>,
  fulfilment: Fulfilment,
): Promise<readonly PlanRecord[]> {
  if (fulfilment.summaryMaxTokens === 0) return records;
  const owing: { readonly record: DropRecord; readonly owed: OwedItems }[] = [];
  for (const record of records) {
    if (record.action !== "drop" || record.sincePlanVersion !== fulfilment.planVersion) continue;
    const owed = await owedItems(messagesIn(record.span, gathered, fulfilment), fulfilment);
    if (owed.outcomes.length + owed.artifacts.length > 0) owing.push({ record, owed });
  }
  const home = owing.at(-1)?.record;
  if (home === undefined) return records;
  const earlier = records.filter(isKeptFields);
  const spans = [...earlier.map(({ summary }) => summary.span), ...owing.map(({ record }) => record.span)];
  const changes = owing.flatMap(({ owed }) => additions(owed));
  const kept = keptRecord(home, earlier, joined(spans, fulfilment), changes, fulfilment);
  return records.map((record) =>
    record === home ? kept : isKeptFields(record) ? dropped(record, fulfilment.planVersion) : record,
  );
}

const isKeptFields = (record: PlanRecord): record is SummarizationRecord =>
  record.action === "summarize" && record.summarizer === KEPT_FIELDS;

function messagesIn(
  { messageIds }: SpanReference,
  gathered: ReadonlySet<string>,
  { thread }: Fulfilment,
): readonly Message[] {
  return messageIds.flatMap((id) => (gathered.has(id) ? [] : (thread.message(id) ?? [])));
}

const additions = ({ outcomes, artifacts }: OwedItems): readonly SummaryChange[] => [
  ...outcomes.map((item): SummaryChange => ({ op: "add", section: "toolOutcomes", item })),
  ...artifacts.map((item): SummaryChange => ({ op: "add", section: "artifacts", item })),
];

function joined(spans: readonly SpanReference[], { shape }: Fulfilment): SpanReference {
  const ordinals = new Set(spans.flatMap((span) => knownOrdinals(span, shape)));
  return shape.spanOf([...ordinals].sort((a, b) => a - b));
}

function keptRecord(
  { span, strategy, reason, sincePlanVersion, originalTokens }: DropRecord,
  earlier: readonly SummarizationRecord[],
  whole: SpanReference,
  changes: readonly SummaryChange[],
  { summaryMaxTokens, tokenizer }: Fulfilment,
): SummarizationRecord {
  const previous = earlier.reduce<StructuredSummary | null>(
    (all, { summary }) => (all === null ? summary : mergeSummaries(all, summary, whole).summary),
    null,
  );
  const merged = applySummaryChanges(previous, whole, changes);
  const trimmed = trimSummary(merged.summary, summaryMaxTokens, (text) => tokenizer.countTokens(text));
  return {
    ...{ span, strategy, sincePlanVersion, originalTokens },
    reason: `${reason} What their tools declared, and where their bodies are stored, stays.`,
    action: "summarize",
    summary: trimmed.summary,
    summaryTokens: trimmed.tokens,
    summarizer: KEPT_FIELDS,
    resolved: [...merged.resolved, ...trimmed.resolved],
  };
}

/** Drops the summary of an earlier fold's kept fields, because the newer summary now contains them. */
function dropped({ span, strategy, originalTokens }: SummarizationRecord, sincePlanVersion: number): DropRecord {
  const reason = "It is covered by the summary of what later drops kept.";
  return { span, strategy, originalTokens, sincePlanVersion, reason, action: "drop", keywords: [] };
}
