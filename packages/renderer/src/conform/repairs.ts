import { assignCallIds } from "./assign-call-ids.ts";
import type { Conformance, DraftRequest, Repair } from "./conformance.ts";
import { leaveMediaBehindFailures, noteUnmarkedFailures } from "./failed-results.ts";
import { leaveOutCacheMarks, noteLeftOutFields } from "./left-out-fields.ts";
import { markSystemNotices } from "./mark-system-notices.ts";
import { answerOpenCalls, leaveOutStrayResults, moveResultsToCalls } from "./pair-results.ts";
import {
  leaveOutLoneItems,
  leaveOutMisplacedItems,
  leaveOutRepeatedItems,
  moveCallsToLateAnswers,
  openWithProviderItem,
} from "./provider-items.ts";
import { repairParts } from "./repair-parts.ts";
import { declareRevealedTools, declareWaitingTools, defineToolsOnce, noteSchemaKeywords } from "./tools.ts";
import { appendTail, endWithoutReasoning, openTurnsWithReasoning, openWithUser } from "./turn-ends.ts";

/**
 * The repairs in order. What the provider's own item stands for goes first; then pairing, because later ones find results by their place; what puts a user message
 * between others comes before what asks whether anybody spoke; the ends come last. A new repair is a file and a line here.
 */
const REPAIRS: readonly Repair[] = [
  openWithProviderItem,
  leaveOutMisplacedItems,
  leaveOutStrayResults,
  moveResultsToCalls,
  answerOpenCalls,
  repairParts,
  leaveMediaBehindFailures,
  openTurnsWithReasoning,
  leaveOutRepeatedItems,
  leaveOutLoneItems,
  moveCallsToLateAnswers,
  leaveOutCacheMarks,
  endWithoutReasoning,
  markSystemNotices,
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

/** Makes a request, or a piece of one, legal for the format whose requirements are given. */
export function conform(request: DraftRequest, conformance: Conformance): DraftRequest {
  const repairs = REPAIRS.filter(({ end }) => end === undefined || conformance.ends[end]);
  return repairs.reduce((current, repair) => repair.apply(current, conformance), request);
}
