import type { AgentThread, CompactionPlan, PlanRecord } from "@threadfold/core";
import { derivation } from "../neutral/derivation.ts";

/** Ordinal of the first message of the main branch that a plan folds, clears or drops; null when there is none. */
export const firstEditedOrdinal = derivation((plan: CompactionPlan, thread: AgentThread): number | null => {
  let first: number | null = null;
  for (const records of [plan.externalizations, plan.summarizations, plan.clearings, plan.drops]) {
    for (const record of records) first = earlier(first, firstShown(record, thread));
  }
  return first;
});

function firstShown({ span }: PlanRecord, thread: AgentThread): number | null {
  for (const id of span.messageIds) {
    const message = thread.message(id);
    if (message !== undefined && message.branch === undefined) return message.ordinal;
  }
  return null;
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/**
 * Ordinal from which on reasoning is bound to a prefix that a plan changed: where the tool loop begins in which the first
 * edit stands. Infinity when nothing is edited.
 */
export const reasoningBoundary = derivation((plan: CompactionPlan, thread: AgentThread): number => {
  const edited = firstEditedOrdinal(plan, thread);
  return edited === null ? Number.POSITIVE_INFINITY : loopStart(edited, thread);
});

/**
 * Ordinal of the user message that opened the tool loop in which a message stands. A provider takes a loop as one turn:
 * its reasoning goes back whole or not at all.
 */
function loopStart(ordinal: number, thread: AgentThread): number {
  for (let index = ordinal; index > 0; index--) {
    const message = thread.messageAt(index);
    if (message?.role === "user" && message.branch === undefined) return index;
  }
  return 0;
}
