import { assignCallIds } from "./assign-call-ids.ts";
import type { Conformance, DraftRequest, Repair } from "./conformance.ts";
import { leaveMediaBehindFailures, noteUnmarkedFailures } from "./failed-results.ts";
import { leaveOutCacheMarks, leaveOutCallers, noteLeftOutFields } from "./left-out-fields.ts";
import { markSystemNotices, placeSystemMessages } from "./mark-system-notices.ts";
import { answerOpenCalls, leaveOutStrayResults, moveCallsToLateAnswers, moveResultsToCalls } from "./pair-results.ts";
import { leaveOutAbandonedCalls, leaveOutRepeatedItems } from "./parts/leave-out.ts";
import { leaveOutLoneItems, leaveOutMisplacedItems, openWithProviderItem } from "./provider-items.ts";
import { repairParts } from "./repair-parts.ts";
import { declareRevealedTools, declareWaitingTools, defineToolsOnce, noteSchemaKeywords } from "./tools.ts";
import { appendTail, endWithoutReasoning, openTurnsWithReasoning, openWithUser } from "./turn-ends.ts";

/**
 * The repairs in order. Messages that the provider's own item replaces are removed first; then come pairing repairs,
 * because later repairs find results by their position; repairs that insert a user message between others come before
 * those that ask whether anybody spoke; reasoning opens its turn once lone items are gone, because only what is sent
 * stands before it, and it interrupts no call that stays; the ends come last. Adding a repair takes a file and a line
 * here.
 */
const REPAIRS: readonly Repair[] = [
  openWithProviderItem,
  leaveOutMisplacedItems,
  leaveOutStrayResults,
  moveResultsToCalls,
  leaveOutAbandonedCalls,
  answerOpenCalls,
  repairParts,
  leaveMediaBehindFailures,
  leaveOutRepeatedItems,
  leaveOutLoneItems,
  placeSystemMessages,
  markSystemNotices,
  openTurnsWithReasoning,
  moveCallsToLateAnswers,
  leaveOutCallers,
  leaveOutCacheMarks,
  endWithoutReasoning,
  // Again: the answer before which a system message was placed may be left out now.
  placeSystemMessages,
  assignCallIds,
  declareRevealedTools,
  declareWaitingTools,
  defineToolsOnce,
  noteUnmarkedFailures,
  noteLeftOutFields,
  noteSchemaKeywords,
  openWithUser,
  appendTail,
];

/** Makes a request, or a piece of one, legal for the format with these requirements. */
export function conform(request: DraftRequest, conformance: Conformance): DraftRequest {
  const repairs = REPAIRS.filter(({ end }) => end === undefined || conformance.ends[end]);
  return repairs.reduce((current, repair) => repair.apply(current, conformance), request);
}
