import {
  type CompactionPlan,
  type PlanRecord,
  planRecords,
  type SpanReference,
  SUMMARY_SECTIONS,
} from "@threadfold/core";

/**
 * Returns a plan in the form that a reviewer reads: what each record does, to which messages, and why. A span is shown
 * by its first and last message, and a summary by its number of items, because its words are in the prompt. The plan's
 * id is a digest that covers everything left out here, so that no change goes unnoticed.
 */
export function reviewedPlan(plan: CompactionPlan) {
  const { planId, version, threadVersion, policyVersion, createdAt, originalTokens, compactedTokens } = plan;
  const head = { planId, version, threadVersion, policyVersion, createdAt, originalTokens, compactedTokens };
  return { ...head, records: planRecords(plan).map(reviewedRecord) };
}

function reviewedRecord(record: PlanRecord) {
  const { action, strategy, reason, sincePlanVersion, originalTokens } = record;
  const base = { action, span: reviewedSpan(record.span), strategy, reason, sincePlanVersion, originalTokens };
  switch (record.action) {
    case "externalize":
      return { ...base, form: record.form, artifactId: record.artifactId };
    case "summarize": {
      const { summary, summaryTokens, summarizer, resolved } = record;
      const items = SUMMARY_SECTIONS.filter((section) => summary[section].length > 0).map((section) => [
        section,
        summary[section].length,
      ]);
      return { ...base, summaryTokens, summarizer, items: Object.fromEntries(items), resolved: resolved.length };
    }
    case "clear":
      return { ...base, targets: record.targets, preservedFields: record.preservedFields };
    case "drop":
      return base;
  }
}

function reviewedSpan({ messageIds, firstTurn, lastTurn }: SpanReference): string {
  const turns = firstTurn === lastTurn ? `turn ${firstTurn}` : `turns ${firstTurn} to ${lastTurn}`;
  if (messageIds.length === 1) return `${messageIds[0]} (${turns})`;
  return `${messageIds[0]} … ${messageIds.at(-1)} (${messageIds.length} messages, ${turns})`;
}
