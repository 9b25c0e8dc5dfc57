import type { SpanReference } from "../groups/span-reference.ts";
import type { MessageId } from "../model/ids.ts";
import {
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummaryItem,
  type SummarySections,
} from "./structured-summary.ts";

/**
 * The share of a summary that belongs to one of several runs of its span. Each item goes to the first run that holds one
 * of its sources; an item without a source in any run goes to the first, so that nothing is lost and nothing stands twice.
 */
export function restrictSummary(
  summary: StructuredSummary,
  span: SpanReference,
  runs: readonly (readonly MessageId[])[],
  index: number,
): StructuredSummary {
  const sets = runs.map((run) => new Set(run));
  const runOf = (item: SummaryItem): number =>
    Math.max(
      0,
      sets.findIndex((run) => item.sources.some((source) => run.has(source))),
    );
  const sections = Object.fromEntries(
    SUMMARY_SECTIONS.map((section) => [section, summary[section].filter((item: SummaryItem) => runOf(item) === index)]),
  ) as unknown as SummarySections;
  const last = index === runs.length - 1;
  const { narrative, ...others } = summary;
  return {
    ...others,
    ...sections,
    span,
    ...(narrative !== undefined && runOf(narrative) === index && { narrative }),
    originalTask: summary.originalTask !== null && runOf(summary.originalTask) === index ? summary.originalTask : null,
    currentTask: last ? summary.currentTask : null,
    currentPlan: last ? summary.currentPlan : null,
  };
}
