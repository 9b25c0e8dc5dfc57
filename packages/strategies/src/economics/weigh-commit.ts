import type { PromptCachePrice } from "@threadfold/core";
import type { CacheTemperature } from "./cache-temperature.ts";

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
  /** After so many calls the commit has paid for itself; infinite when it never does. */
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
