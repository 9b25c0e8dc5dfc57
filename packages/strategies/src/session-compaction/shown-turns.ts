import { type PlanRecords, planRecords, removesMessages, type ThreadShape } from "@threadfold/core";

/**
 * How many turns a prompt still shows the start of: all turns of the thread less those whose user message the plan took
 * out. For triggers that count turns (seed 004). Reads what the plan folded, and not the thread.
 *
 * @param turns how many turns the thread has.
 */
export function shownTurns(turns: number, plan: PlanRecords, shape: Pick<ThreadShape, "headerOf">): number {
  const removed = planRecords(plan)
    .filter(removesMessages)
    .flatMap((record) => record.span.messageIds)
    .filter((id) => shape.headerOf(id)?.startsTurn === true);
  return turns - removed.length;
}
