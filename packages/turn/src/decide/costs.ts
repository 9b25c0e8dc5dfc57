import { type ContextCompactionConfig, minimumCachedTokens, type PromptCachePrice, roomTokens } from "@threadfold/core";
import type { FoldHistory } from "../state/breaker.ts";

/** What a commit is weighed by. Sizes are tokens. */
export interface CommitFigures {
  /** The request under the current plan. */
  readonly before: number;
  /** The request under the new plan. */
  readonly after: number;
  /** What stands behind the first change in the new request and has to be written anew. */
  readonly suffix: number;
  /** Model calls that are expected to follow. */
  readonly expectedCalls: number;
  readonly temperature: CacheTemperature;
  readonly price: PromptCachePrice;
}

/** What a commit costs and saves, in input-token-equivalents: one is the price of an uncached input token. */
export interface CommitWeighing extends CommitFigures {
  readonly freed: number;
  /** What the next call costs more than without the commit; negative when it costs less at once. */
  readonly cost: number;
  /** What every call costs less from then on. */
  readonly savingPerCall: number;
  /** After this many calls the commit has paid for itself; infinite when it never does. */
  readonly breakEvenCalls: number;
  /** True when more calls are expected than that. */
  readonly pays: boolean;
  /** The figures in a sentence. */
  readonly reason: string;
}

/**
 * Weighs a commit: what it frees is not read again in each call that follows, and what stands behind the change is
 * written instead of read once, `suffix × (write − read)`. With a cold cache everything is written either way, so the
 * smaller request costs less at once; without a cache every token is paid in full in every call.
 */
export function weighCommit(figures: CommitFigures): CommitWeighing {
  const { before, after, suffix, expectedCalls, temperature, price } = figures;
  const freed = before - after;
  const cost = commitCost(figures);
  const savingPerCall = Math.max(0, freed) * (temperature === "uncached" ? 1 : price.read);
  const breakEvenCalls = cost <= 0 ? 0 : savingPerCall === 0 ? Number.POSITIVE_INFINITY : cost / savingPerCall;
  const pays = freed > 0 && expectedCalls >= breakEvenCalls;
  const weighing = { ...figures, freed, cost, savingPerCall, breakEvenCalls, pays };
  return { ...weighing, reason: describe(weighing, suffix) };
}

function commitCost({ before, after, suffix, temperature, price }: CommitFigures): number {
  switch (temperature) {
    case "warm":
      return suffix * (price.write - price.read);
    case "cold":
      return (after - before) * price.write;
    case "uncached":
      return after - before;
  }
}

function describe(weighing: Omit<CommitWeighing, "reason">, suffix: number): string {
  const { cost, savingPerCall, breakEvenCalls, expectedCalls, temperature, price } = weighing;
  if (temperature === "cold")
    return `${price.id}'s cache is cold, so the smaller request costs ${Math.round(-cost)} less at once`;
  if (temperature === "uncached") return `the request is too short for ${price.id} to cache, so every token freed pays`;
  const costs = `writing ${suffix} tokens anew costs ${Math.round(cost)} and each call then saves ${Math.round(savingPerCall)}`;
  if (!Number.isFinite(breakEvenCalls)) return `${costs}, so it never pays`;
  return `${costs}, worth it after ${Math.ceil(breakEvenCalls)} calls (${expectedCalls} are expected; ${price.id}'s prices)`;
}

/**
 * What the provider still has of the last prompt. `warm`: it reads the prompt's beginning from its cache. `cold`: it
 * writes the whole prompt anew, whatever is sent. `uncached`: the prompt is too short to be cached at all.
 */
export type CacheTemperature = "warm" | "cold" | "uncached";

/** What the temperature depends on. */
export interface CacheFigures {
  readonly promptTokens: number;
  /** Seconds since the last request; undefined when there was none. */
  readonly idleSeconds: number | undefined;
  readonly price: PromptCachePrice;
  readonly model?: string;
}

/** How warm the provider's prompt cache is, by the time since the last request against its time to live. */
export function cacheTemperature({ promptTokens, idleSeconds, price, model }: CacheFigures): CacheTemperature {
  if (promptTokens < minimumCachedTokens(price, model)) return "uncached";
  return idleSeconds === undefined || idleSeconds > price.ttlSeconds ? "cold" : "warm";
}

/**
 * How many more model calls a session is expected to make: as many as it has made, and the prior. This is the mean of
 * what remains when the number of calls follows a Lomax distribution of shape 2 and scale `prior`: sessions are of every
 * length, and the longer one has lasted the longer it is likely to go on.
 *
 * @param calls model calls so far.
 * @param prior what a session is expected to make when nothing is known of it yet.
 */
export function expectedRemainingCalls(calls: number, prior: number): number {
  return calls + prior;
}

/** Tokens that a thread grew by in an average model call. */
export const growthPerCall = (totalTokens: number, calls: number): number => totalTokens / Math.max(1, calls);

/** A fold goes no further below its target than to this share of it: what is kept has to hold more than a summary. */
const LEAST_OF_TARGET = 0.5;

/**
 * The configuration with a lower target where the thread grows so fast that the next fold would come before
 * `minCallsPerFold` calls. What a fold keeps is written to the prompt cache once and read in each call after it, so the
 * sooner the next fold comes, the dearer is each token that is kept (docs/decisions/0011).
 *
 * @param growthPerCall tokens that the thread grew by in an average call.
 */
export function configForEpoch(config: ContextCompactionConfig, growthPerCall: number): ContextCompactionConfig {
  const { softThresholdPercent, targetPercent, minCallsPerFold } = config;
  const wanted = softThresholdPercent - (minCallsPerFold * growthPerCall) / roomTokens(config);
  if (wanted >= targetPercent) return config;
  return { ...config, targetPercent: Math.max(targetPercent * LEAST_OF_TARGET, wanted) };
}

/** Postponing is safe while this many calls of average growth still fit below the cap. */
export const CALLS_OF_HEADROOM = 2;

/** What bounds a postponement. */
export interface WaitFigures {
  readonly history: FoldHistory;
  /** Model calls so far. */
  readonly step: number;
  readonly maxPostponedCalls: number;
  /** Tokens that the thread grew by in an average call. */
  readonly growthPerCall: number;
  /** Tokens of the request by our count or the provider's, whichever is higher. */
  readonly usedTokens: number;
  /** Tokens that the request may have. */
  readonly limit: number;
}

/**
 * For how many calls a soft fold that does not pay may be put off; 0 when it may not. Each call makes a session likelier
 * to go on, so the wait is until as many calls are expected as it takes to pay; it never reaches beyond
 * `maxPostponedCalls` from the first postponement under a plan, nor so far that the cap would force the fold (P3).
 */
export function callsToWait(weighing: CommitWeighing, figures: WaitFigures): number {
  if (weighing.pays) return 0;
  const { history, step, maxPostponedCalls, growthPerCall, usedTokens, limit } = figures;
  const allowed = (history.postponedSince ?? step) + maxPostponedCalls - step;
  const growth = Math.max(1, growthPerCall);
  const headroom = Math.floor((limit - usedTokens) / growth) - CALLS_OF_HEADROOM;
  const wanted = Math.ceil(weighing.breakEvenCalls - weighing.expectedCalls);
  return Math.max(0, Math.min(Math.max(1, wanted), allowed, headroom));
}
