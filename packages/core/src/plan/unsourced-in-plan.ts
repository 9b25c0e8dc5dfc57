import { type MessageLookup, type UnsourcedItem, unsourcedItems } from "../summary/said-by.ts";
import type { PlanRecords } from "./compaction-plan.ts";

/** The unsourced items of all summaries of a plan, in the order of its records; see {@link unsourcedItems}. */
export function unsourcedInPlan(
  { summarizations }: Pick<PlanRecords, "summarizations">,
  messageOf: MessageLookup,
): readonly UnsourcedItem[] {
  return summarizations.flatMap(({ summary }) => unsourcedItems(summary, messageOf));
}
