import { type AgentThread, actionOf, type CompactionPlan, type SummarizationRecord, spanStart } from "@threadfold/core";

/**
 * The summary that stands before all others in a prompt; undefined when there is none. It is looked for in the plan and not
 * among what was rendered before, so that every piece of a growing rendering finds the same one (P7).
 */
export function firstSummary(plan: CompactionPlan, thread: AgentThread): SummarizationRecord | undefined {
  let first: SummarizationRecord | undefined;
  let place = Number.POSITIVE_INFINITY;
  for (const record of plan.summarizations) {
    // What is not in memory, or has another record, is shown by none.
    const start = thread.messageInMemory(spanStart(record.span));
    if (start === undefined || start.branch !== undefined || start.ordinal >= place) continue;
    if (actionOf(plan, start.id, start.ordinal).record !== record) continue;
    first = record;
    place = start.ordinal;
  }
  return first;
}
