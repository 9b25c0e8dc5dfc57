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

/** Names the summaries that stand for what was dropped, and hold what was declared in it and nothing else. */
export const KEPT_FIELDS = "kept-fields@1";

/**
 * The records of a fold in which no drop loses declared fields or the way to an artifact: where dropped messages owe such,
 * one summary of just these stands in the place of the last of them, and takes in those of earlier folds, so that a prompt
 * holds one of them at a time. Drops that owe nothing stay as they are. A fold that has no room for any summary drops all.
 *
 * @param gathered messages that leave the prompt because a summary of this fold stands for them.
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

/** What an earlier fold kept stands in the newer summary now. */
function dropped({ span, strategy, originalTokens }: SummarizationRecord, sincePlanVersion: number): DropRecord {
  const reason = "The summary of what later drops kept stands for it.";
  return { span, strategy, originalTokens, sincePlanVersion, reason, action: "drop", keywords: [] };
}
