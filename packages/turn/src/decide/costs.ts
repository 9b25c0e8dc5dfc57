import { type ContextCompactionConfig, minimumCachedTokens, type PromptCachePrice, roomTokens } from "@threadfold/core";
import type { FoldHistory } from "../state/breaker.ts";

/** The figures that a commit is weighed with. Sizes are in tokens. */
export interface CommitFigures {
  /** Size of the request under the current plan. */
  readonly before: number;
  /** Size of the request under the new plan. */
  readonly after: number;
  /** Size of what follows the first change in the new request, and must be written to the cache again. */
  readonly suffix: number;
  /** Expected number of further model calls. */
  readonly expectedCalls: number;
  readonly temperature: CacheTemperature;
  readonly price: PromptCachePrice;
}

/** Cost and savings of a commit, in input-token equivalents: 1 is the price of an uncached input token. */
export interface CommitWeighing extends CommitFigures {
  /** Tokens freed: `before` minus `after`. */
  readonly freed: number;
  /** Additional cost of the next call because of the commit; negative if it is cheaper at once. */
  readonly cost: number;
  /** Savings of every call from then on. */
  readonly savingPerCall: number;
  /** Number of calls after which the commit has paid off; infinite if it never does. */
  readonly breakEvenCalls: number;
  /** True if it frees anything and at least that many calls are expected. */
  readonly pays: boolean;
  /** The figures as a sentence. */
  readonly reason: string;
}

/**
 * Weighs a commit: what it frees need not be read in any later call, but what follows the change is once written to the
 * cache instead of read, `suffix × (write − read)`. With a cold cache everything is written either way, so the smaller
 * request is cheaper at once; without a cache, every token is paid in full in every call.
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
  const costs = `rewriting ${suffix} tokens costs ${Math.round(cost)} and each call then saves ${Math.round(savingPerCall)}`;
  if (!Number.isFinite(breakEvenCalls)) return `${costs}, so it never pays`;
  return `${costs}, worth it after ${Math.ceil(breakEvenCalls)} calls (${expectedCalls} are expected; ${price.id}'s prices)`;
}

/**
 * What the provider's cache still has of the last prompt. `warm`: it reads the prompt's prefix from its cache. `cold`:
 * it writes the whole prompt again, whatever is sent. `uncached`: the prompt is too short to be cached at all.
 */
export type CacheTemperature = "warm" | "cold" | "uncached";

/** What the cache temperature depends on. */
export interface CacheFigures {
  readonly promptTokens: number;
  /** Seconds since the last request; undefined when there was none. */
  readonly idleSeconds: number | undefined;
  readonly price: PromptCachePrice;
  readonly model?: string;
}

/** Returns how warm the provider's prompt cache is, comparing the time since the last request with its time to live. */
export function cacheTemperature({ promptTokens, idleSeconds, price, model }: CacheFigures): CacheTemperature {
  if (promptTokens < minimumCachedTokens(price, model)) return "uncached";
  return idleSeconds === undefined || idleSeconds > price.ttlSeconds ? "cold" : "warm";
}

/**
 * Returns how many more model calls a session is expected to make: as many as it has made, plus the prior. This is the
 * mean residual number of calls under a Lomax distribution of shape 2 and scale `prior`: sessions vary widely in
 * length, and the longer a session has lasted, the longer it is likely to go on.
 *
 * @param calls model calls so far.
 * @param prior expected number of calls of a session about which nothing is known yet.
 */
export function expectedRemainingCalls(calls: number, prior: number): number {
  return calls + prior;
}

/** Returns the tokens by which a thread grew in an average model call. */
export const growthPerCall = (totalTokens: number, calls: number): number => totalTokens / Math.max(1, calls);

/** The target is not lowered below this share of itself: what is kept must hold more than a summary. */
const LEAST_OF_TARGET = 0.5;

/**
 * Returns the configuration, with a lower target if the thread grows so fast that the next fold would come within
 * `minCallsPerFold` calls. What a fold keeps is written to the prompt cache once and read in each call after it, so the
 * sooner the next fold comes, the more expensive is each token that is kept (docs/decisions/0011).
 *
 * @param growthPerCall tokens by which the thread grew in an average call.
 */
export function configForEpoch(config: ContextCompactionConfig, growthPerCall: number): ContextCompactionConfig {
  const { softThresholdPercent, targetPercent, minCallsPerFold } = config;
  const wanted = softThresholdPercent - (minCallsPerFold * growthPerCall) / roomTokens(config);
  if (wanted >= targetPercent) return config;
  return { ...config, targetPercent: Math.max(targetPercent * LEAST_OF_TARGET, wanted) };
}

/** Postponing a fold is safe while this many calls of average growth still fit below the cap. */
export const CALLS_OF_HEADROOM = 2;

/** What bounds a postponement. */
export interface WaitFigures {
  readonly history: FoldHistory;
  /** Model calls so far. */
  readonly step: number;
  readonly maxPostponedCalls: number;
  /** Tokens by which the thread grew in an average call. */
  readonly growthPerCall: number;
  /** Tokens of the request by our count or the provider's, whichever is higher. */
  readonly usedTokens: number;
  /** Maximum tokens of the request. */
  readonly limit: number;
}

/**
 * Returns for how many calls a soft fold that does not pay off may be postponed; 0 when it may not. Each call makes a
 * session more likely to go on, so the wait lasts until enough calls are expected for the fold to pay off. It never
 * exceeds `maxPostponedCalls` from the first postponement under a plan, nor lasts so long that the cap would force the
 * fold (P3).
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
