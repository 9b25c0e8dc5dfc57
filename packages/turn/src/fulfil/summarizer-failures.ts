import {
  type FoldCost,
  problemOf,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  type Usage,
  withinLimit,
} from "@threadfold/core";
import { floorSummarizer } from "./floor-summary.ts";

/** How long a fold waits for a summary by default, in milliseconds. */
export const SUMMARY_TIME_LIMIT_MS = 180_000;

/**
 * A summarizer that is waited for no longer than a limit, and no longer than somebody wants its summary. What it
 * returns after that is ignored.
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
 * A summarizer for one fold, which may ask for several summaries: for those of its spans, and again where an attempt does
 * not fit. Once it has failed for as long as a fold waits for a summary, the rest of the fold is summarized by its stand-in,
 * and the problem is told of those summaries as well.
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

/** Timers may fire a little early. */
const ALMOST_ALL = 0.95;

/** Folds in a row that had to do without their summarizer. */
export interface SummarizerFailures {
  readonly consecutive: number;
  /** Folds that were made without it since. */
  readonly rested: number;
}

export const NO_SUMMARIZER_FAILURES: SummarizerFailures = Object.freeze({ consecutive: 0, rested: 0 });

/** After this many failures in a row somebody should be told, and the summarizer is left alone. */
export const SUMMARIZER_FAILURE_LIMIT = 3;

/**
 * How many folds are made without a summarizer that keeps failing; then it is asked once, and left alone again if it
 * fails.
 */
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

/** A summarizer and what it was asked so far. */
export interface MeteredSummarizer {
  readonly summarizer: Summarizer;
  /** The one that is metered. */
  readonly of: Summarizer;
  readonly cost: () => Omit<FoldCost, "weighing">;
  /** The outcome of the newest call: why it failed, or null. Null before the first, and for an aborted one. */
  readonly newest: () => { readonly problem: string | null } | null;
}

/** Counts the calls of a fold's summarizer and adds up the usage that it reports; it is {@link waitedForOnce}. */
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
      cost = { ...cost, summarizerCalls: cost.summarizerCalls + 1 };
      try {
        const result = await metered.summarize(request);
        cost = withUsage(cost, result.usage);
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
