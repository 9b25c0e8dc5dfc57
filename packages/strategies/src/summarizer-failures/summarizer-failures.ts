import type { Summarizer } from "@threadfold/core";
import { floorSummarizer } from "../fulfil/floor-summarizer.ts";

/** How many folds in a row had to do without their summarizer. */
export interface SummarizerFailures {
  readonly consecutive: number;
  /** How many folds were made without it since. */
  readonly rested: number;
}

export const NO_SUMMARIZER_FAILURES: SummarizerFailures = Object.freeze({ consecutive: 0, rested: 0 });

/** After so many failures in a row somebody should hear of it, and the summarizer is left alone. */
export const SUMMARIZER_FAILURE_LIMIT = 3;

/** So many folds are made without a summarizer that keeps failing; then it is asked once, and left alone again if it fails. */
export const SUMMARIZER_REST = 8;

/** Failures after another fold, and whether this is the moment to say so: once, when the limit is reached (S18). */
export interface CountedFailure {
  readonly failures: SummarizerFailures;
  readonly escalate: boolean;
}

/**
 * Counts a fold. Success starts anew (S18).
 *
 * @param problem what the summarizer's failure was (`FoldReady.summarizerProblem`); null when it worked.
 */
export function countFailure({ consecutive }: SummarizerFailures, problem: string | null): CountedFailure {
  if (problem === null) return { failures: NO_SUMMARIZER_FAILURES, escalate: false };
  return {
    failures: { consecutive: consecutive + 1, rested: 0 },
    escalate: consecutive + 1 === SUMMARIZER_FAILURE_LIMIT,
  };
}

/** Counts a fold that was summarized without the summarizer. */
export const countRest = ({ consecutive, rested }: SummarizerFailures): SummarizerFailures => ({
  consecutive,
  rested: rested + 1,
});

/**
 * The summarizer for the next fold: the one that is there, until it has failed too often; then for a while none with a
 * model, unless somebody asks for the fold (S33).
 *
 * @param requested true when a person or the host asked.
 * @param standIn what summarizes meanwhile.
 */
export function summarizerAfter(
  { consecutive, rested }: SummarizerFailures,
  summarizer: Summarizer,
  requested: boolean,
  standIn: Summarizer = floorSummarizer,
): Summarizer {
  const rests = consecutive >= SUMMARIZER_FAILURE_LIMIT && rested < SUMMARIZER_REST;
  return rests && !requested ? standIn : summarizer;
}
