import { answerOpenCalls } from "./answer-open-calls.ts";
import { appendTail } from "./append-tail.ts";
import { assignCallIds } from "./assign-call-ids.ts";
import type { Conformance, DraftRequest, Repair } from "./conformance.ts";
import { defineToolsOnce } from "./define-tools-once.ts";
import { endWithoutReasoning } from "./end-without-reasoning.ts";
import { leaveMediaBehindFailures } from "./leave-media-behind-failures.ts";
import { leaveOutCacheMarks } from "./leave-out-cache-marks.ts";
import { leaveOutLoneItems } from "./leave-out-lone-items.ts";
import { leaveOutRepeatedItems } from "./leave-out-repeated-items.ts";
import { leaveOutStrayResults } from "./leave-out-stray-results.ts";
import { markSystemNotices } from "./mark-system-notices.ts";
import { moveResultsToCalls } from "./move-results-to-calls.ts";
import { noteLeftOutFields } from "./note-left-out-fields.ts";
import { noteSchemaKeywords } from "./note-schema-keywords.ts";
import { noteUnmarkedFailures } from "./note-unmarked-failures.ts";
import { openTurnsWithReasoning } from "./open-turns-with-reasoning.ts";
import { openWithUser } from "./open-with-user.ts";
import { repairParts } from "./repair-parts.ts";

/**
 * The repairs in order. Pairing comes first, because later ones find results by their place; what puts a user message
 * between others comes before what asks whether anybody spoke; the ends come last. A new repair is a file and a line here.
 */
export const REPAIRS: readonly Repair[] = [
  leaveOutStrayResults,
  moveResultsToCalls,
  answerOpenCalls,
  repairParts,
  leaveMediaBehindFailures,
  openTurnsWithReasoning,
  leaveOutRepeatedItems,
  leaveOutLoneItems,
  leaveOutCacheMarks,
  endWithoutReasoning,
  markSystemNotices,
  assignCallIds,
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
