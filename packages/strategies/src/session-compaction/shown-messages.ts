import { type PlanRecords, planRecords, removesMessages, spanLength } from "@threadfold/core";

/**
 * How many messages a prompt still shows: all of the thread less those that the plan took out, and one for each summary
 * or pointer that stands for some. For triggers that count messages and would fire for good after the first fold otherwise.
 *
 * @param messages how many messages the thread has.
 */
export function shownMessages(messages: number, plan: PlanRecords): number {
  return planRecords(plan)
    .filter(removesMessages)
    .reduce((left, { span, action }) => left - spanLength(span) + (action === "drop" ? 0 : 1), messages);
}
