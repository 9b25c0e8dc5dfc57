import { answerOpenCalls } from "./answer-open-calls.ts";
import { appendTail } from "./append-tail.ts";
import { assignCallIds } from "./assign-call-ids.ts";
import type { Conformance, DraftRequest, Repair } from "./conformance.ts";
import { declareTools } from "./declare-tools.ts";
import { defineToolsOnce } from "./define-tools-once.ts";
import { endWithoutReasoning } from "./end-without-reasoning.ts";
import { leaveOutStrayResults } from "./leave-out-stray-results.ts";
import { markSystemNotices } from "./mark-system-notices.ts";
import { moveResultsToCalls } from "./move-results-to-calls.ts";
import { noteUnmarkedFailures } from "./note-unmarked-failures.ts";
import { openWithUser } from "./open-with-user.ts";
import { repairParts } from "./repair-parts.ts";

/**
 * The repairs in order. Pairing comes first, because later ones find results by their place; the ends come last. A new repair is a file and a line here.
 */
export const REPAIRS: readonly Repair[] = [
  leaveOutStrayResults,
  moveResultsToCalls,
  answerOpenCalls,
  repairParts,
  endWithoutReasoning,
  markSystemNotices,
  assignCallIds,
  defineToolsOnce,
  noteUnmarkedFailures,
  openWithUser,
  appendTail,
  declareTools,
];

/** Makes a request legal for the format whose requirements are given. */
export function conform(request: DraftRequest, conformance: Conformance): DraftRequest {
  return REPAIRS.reduce((current, repair) => repair.apply(current, conformance), request);
}
