import {
  type FoldCost,
  type ModelMeter,
  problemOf,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  type Usage,
  withinLimit,
} from "@threadfold/core";
import { floorSummarizer } from "./floor-summary.ts";

/** Default time that a fold waits for a summary, in milliseconds. */
export const SUMMARY_TIME_LIMIT_MS = 180_000;

/**
 * Wraps a summarizer with a time limit; it also stops waiting when the request is aborted. A summary that arrives later
 * is ignored.
 */
export function limitedSummarizer(summarizer: Summarizer, milliseconds = SUMMARY_TIME_LIMIT_MS): Summarizer {
  const { id, identity } = summarizer;
  return {
    id,
    ...(identity !== undefined && { identity }),
    summarize: (request: SummarizeRequest): Promise<SummarizeResult> =>
      withinLimit((signal) => summarizer.summarize({ ...request, signal }), {
        ...{ milliseconds, waitedFor: `the summarizer ${id}`, option: "summaryTimeLimitMs", timers: globalThis },
        ...(request.signal !== undefined && { signal: request.signal }),
      }),
  };
}

/**
 * Wraps a summarizer for one fold, which may ask for several summaries: one per span, and more if an attempt does not
 * fit. Once its failed calls have taken as long as a fold waits for one summary, the stand-in makes the remaining
 * summaries of the fold, which report the problem as well.
 */
export function waitedForOnce(
  summarizer: Summarizer,
  standIn: Summarizer,
  milliseconds = SUMMARY_TIME_LIMIT_MS,
): Summarizer {
  const { id, identity } = summarizer;
  let waitedMs = 0;
  let problem = `${id} failed`;
  return {
    id,
    ...(identity !== undefined && { identity }),
    async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
      if (waitedMs >= ALMOST_ALL * milliseconds)
        return { by: standIn.id, problem, ...(await standIn.summarize(request)) };
      const startedAt = performance.now();
      const failed = (why: string): void => {
        waitedMs += performance.now() - startedAt;
        problem = why;
      };
      try {
        const result = await summarizer.summarize(request);
        if (result.problem !== undefined) failed(result.problem);
        return result;
      } catch (error) {
        failed(`${id}: ${error instanceof Error ? error.message : "failed"}`);
        throw error;
      }
    },
  };
}

/** Share of the time limit that counts as all of it, because timers may fire a little early. */
const ALMOST_ALL = 0.95;

/** Consecutive folds whose summarizer failed. */
export interface SummarizerFailures {
  readonly consecutive: number;
  /** Folds that were made without trying it since then. */
  readonly rested: number;
}

/** No failures so far. */
export const NO_SUMMARIZER_FAILURES: SummarizerFailures = Object.freeze({ consecutive: 0, rested: 0 });

/** Number of consecutive failures after which an event is due and the summarizer is not used for a while. */
export const SUMMARIZER_FAILURE_LIMIT = 3;

/**
 * Number of folds that are made without a summarizer that keeps failing; then it is tried once, and not used again for
 * as long if it fails.
 */
export const SUMMARIZER_REST = 8;

/** Failures after another fold, and whether to report them now: once, when the limit is reached (S18). */
export interface CountedFailure {
  readonly failures: SummarizerFailures;
  readonly escalate: boolean;
}

/**
 * Counts a fold. A success resets the count (S18).
 *
 * @param problem why the summarizer failed (`FoldReady.summarizerProblem`); null when it succeeded.
 */
export function countFailure({ consecutive }: SummarizerFailures, problem: string | null): CountedFailure {
  if (problem === null) return { failures: NO_SUMMARIZER_FAILURES, escalate: false };
  return {
    failures: { consecutive: consecutive + 1, rested: 0 },
    escalate: consecutive + 1 === SUMMARIZER_FAILURE_LIMIT,
  };
}

/** Counts a fold that was summarized without trying the summarizer. */
export const countRest = ({ consecutive, rested }: SummarizerFailures): SummarizerFailures => ({
  consecutive,
  rested: rested + 1,
});

/**
 * Returns the summarizer for the next fold: the given one until it has failed too often, and then the stand-in for a
 * while, unless the fold was requested (S33).
 *
 * @param requested true when a person or the host asked for the fold.
 * @param standIn the summarizer to use meanwhile.
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

/** A summarizer with the cost and result of its calls so far. */
export interface MeteredSummarizer {
  readonly summarizer: Summarizer;
  /** The summarizer that is metered. */
  readonly of: Summarizer;
  readonly cost: () => Omit<FoldCost, "weighing">;
  /**
   * Returns the result of the newest call: why it failed, if it did. Null before the first, and for an aborted call.
   */
  readonly newest: () => { readonly problem: string | null } | null;
}

/**
 * Wraps a fold's summarizer to count its requests to a model and add up their usage, also of a summary that fails in the
 * end. A summarizer that does not report its requests is counted by summaries and by the usage that these report.
 * Applies {@link waitedForOnce} as well.
 */
export function meteredSummarizer(
  metered: Summarizer,
  standIn: Summarizer = floorSummarizer,
  milliseconds?: number,
): MeteredSummarizer {
  let cost: Omit<FoldCost, "weighing"> = { summarizerCalls: 0, inputTokens: 0, outputTokens: 0 };
  let newest: { readonly problem: string | null } | null = null;
  const summarizer: Summarizer = {
    id: metered.id,
    ...(metered.identity !== undefined && { identity: metered.identity }),
    summarize: async (request) => {
      const count = (): void => {
        cost = { ...cost, summarizerCalls: cost.summarizerCalls + 1 };
      };
      let [isAsked, isAnswered] = [false, false];
      const meter: ModelMeter = {
        asked: () => {
          if (isAsked) count();
          isAsked = true;
        },
        answered: (usage) => {
          isAnswered = true;
          cost = withUsage(cost, usage);
        },
      };
      // The summary itself, which is also its first request.
      count();
      try {
        const result = await metered.summarize({ ...request, meter });
        if (!isAnswered) cost = withUsage(cost, result.usage);
        newest = { problem: result.problem ?? null };
        return result;
      } catch (error) {
        newest = request.signal?.aborted === true ? null : { problem: problemOf(error) };
        throw error;
      }
    },
  };
  return {
    summarizer: waitedForOnce(summarizer, standIn, milliseconds),
    of: metered,
    cost: () => cost,
    newest: () => newest,
  };
}

function withUsage(cost: Omit<FoldCost, "weighing">, usage: Usage | undefined): Omit<FoldCost, "weighing"> {
  if (usage === undefined) return cost;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    ...cost,
    inputTokens: cost.inputTokens + inputTokens,
    outputTokens: cost.outputTokens + outputTokens,
    ...(cacheReadTokens !== undefined && { cacheReadTokens: (cost.cacheReadTokens ?? 0) + cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens: (cost.cacheWriteTokens ?? 0) + cacheWriteTokens }),
  };
}
