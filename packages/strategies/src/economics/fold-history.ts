import type { CompactionOutcome, FoldAttemptedRecord } from "@threadfold/core";

/** What is known of the folds that were tried under one plan and committed nothing. A new plan starts with nothing. */
export interface FoldHistory {
  readonly planVersion: number;
  /** Folds in a row that came to nothing. */
  readonly failures: number;
  /** The step at which the first fold was postponed; null when none was. */
  readonly postponedSince: number | null;
  /** The step before which a soft fold need not be looked at again. */
  readonly notBefore: number;
}

/** The history under a plan, by the newest record of an attempt: one that was made under another plan tells nothing. */
export function foldHistory(planVersion: number, newest?: FoldAttemptedRecord | FoldHistory): FoldHistory {
  if (newest?.planVersion !== planVersion) return { planVersion, failures: 0, postponedSince: null, notBefore: 0 };
  const { failures, postponedSince, notBefore } = newest;
  return { planVersion, failures, postponedSince, notBefore };
}

/** The history after an attempt. What somebody asked for tells that person, and so closes the breaker. */
export function afterAttempt(
  history: FoldHistory,
  outcome: CompactionOutcome["type"],
  attempt: { readonly step: number; readonly forced: boolean; readonly waitCalls?: number },
): FoldHistory {
  switch (outcome) {
    case "ineffective":
    case "inflated":
    case "refused":
    case "no-op":
    case "infeasible":
    case "failed":
      return { ...history, failures: attempt.forced ? 0 : history.failures + 1 };
    case "postponed":
      return {
        ...history,
        postponedSince: history.postponedSince ?? attempt.step,
        notBefore: attempt.step + Math.max(1, attempt.waitCalls ?? 1),
      };
    case "conflict":
    case "aborted":
    case "disabled":
    case "vetoed":
    case "committed":
    case "summarizer-failed-floor-used":
      return history;
  }
}
