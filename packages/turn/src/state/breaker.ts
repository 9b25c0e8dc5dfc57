import type { CompactionOutcome, FoldAttemptedRecord } from "@threadfold/core";

/**
 * Length of the first rest in calls, and how often it doubles: an open breaker lets one fold through after each rest.
 */
const FIRST_REST = 8;
const MOST_DOUBLINGS = 4;

/** What is known about folds that were tried under one plan and committed nothing. A new plan starts over. */
export interface FoldHistory {
  readonly planVersion: number;
  /** Number of folds in a row without effect. */
  readonly failures: number;
  /** The step at which the first fold was postponed; null when none was. */
  readonly postponedSince: number | null;
  /** The step before which a soft fold need not be considered again. */
  readonly notBefore: number;
}

/**
 * Returns the history under a plan, from the newest record of an attempt: a record under another plan does not count.
 */
export function foldHistory(planVersion: number, newest?: FoldAttemptedRecord | FoldHistory): FoldHistory {
  if (newest?.planVersion !== planVersion) return { planVersion, failures: 0, postponedSince: null, notBefore: 0 };
  const { failures, postponedSince, notBefore } = newest;
  return { planVersion, failures, postponedSince, notBefore };
}

/** What matters about an attempt in addition to its outcome. */
export interface FinishedAttempt {
  /** Model calls so far. */
  readonly step: number;
  readonly forced: boolean;
  readonly breakerFailures: number;
  readonly waitCalls?: number;
}

/**
 * Returns the history after an attempt. A forced fold closes the breaker, whatever its result, because the caller sees
 * it. A trigger that found nothing to fold cost nothing and says nothing about the next fold, so it is not a failure.
 */
export function afterAttempt(
  history: FoldHistory,
  outcome: CompactionOutcome["type"],
  attempt: FinishedAttempt,
): FoldHistory {
  switch (outcome) {
    case "no-op":
      return attempt.forced ? closed(history, attempt) : history;
    case "ineffective":
    case "inflated":
    case "refused":
    case "infeasible":
    case "failed":
      return attempt.forced ? closed(history, attempt) : afterFailure(history, attempt);
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

function closed(history: FoldHistory, { breakerFailures }: FinishedAttempt): FoldHistory {
  return { ...history, failures: 0, notBefore: history.failures < breakerFailures ? history.notBefore : 0 };
}

function afterFailure(history: FoldHistory, { step, breakerFailures }: FinishedAttempt): FoldHistory {
  const failures = history.failures + 1;
  if (failures < breakerFailures) return { ...history, failures };
  const rest = FIRST_REST * 2 ** Math.min(failures - breakerFailures, MOST_DOUBLINGS);
  return { ...history, failures, notBefore: Math.max(history.notBefore, step + rest) };
}

/** What determines whether a fold that is due is tried. */
export interface FoldMoment {
  readonly level: "soft" | "hard";
  /** True when a person or the host asked for it. */
  readonly forced: boolean;
  /** Model calls so far. */
  readonly step: number;
  readonly cacheIsCold: boolean;
  readonly breakerFailures: number;
}

/** Whether to try a fold, or why not. */
export type FoldPermission =
  | { readonly type: "go" }
  | { readonly type: "breaker-open" | "too-early"; readonly reason: string };

const GO: FoldPermission = Object.freeze({ type: "go" });

/**
 * Checks the breaker and the wait. After several folds in a row without effect, no soft fold is tried for a while,
 * because the next one would do the same work with the same result (L29). Then one is tried, because what was added
 * since may well be foldable, and the rest doubles when that has no effect either. A postponed fold is not considered
 * again before it can pay off or the cache goes cold. Hard pressure and a manual fold bypass both.
 */
export function mayFold(history: FoldHistory, moment: FoldMoment): FoldPermission {
  if (moment.forced || moment.level === "hard") return GO;
  const calls = history.notBefore - moment.step;
  if (history.failures >= moment.breakerFailures && calls > 0) {
    const reason =
      `the last ${history.failures} folds in a row freed too little, so none is tried for ${calls} calls, unless the ` +
      "request exceeds its room or somebody asks for one; raise maxInputTokens, or make system text, tools or pins smaller";
    return { type: "breaker-open", reason };
  }
  if (calls > 0 && !moment.cacheIsCold) {
    return { type: "too-early", reason: `a fold does not pay yet; it will be reconsidered in ${calls} calls` };
  }
  return GO;
}
