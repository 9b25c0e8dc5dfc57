import { minimumCachedTokens, type PromptCachePrice } from "@threadfold/core";

/**
 * What the provider still has of the last prompt. `warm`: it reads the prompt's beginning from its cache. `cold`: it
 * writes the whole prompt anew, whatever is sent. `uncached`: the prompt is too short to be cached at all.
 */
export type CacheTemperature = "warm" | "cold" | "uncached";

/** What the temperature depends on. */
export interface CacheScene {
  readonly promptTokens: number;
  /** Seconds since the last request; undefined when there was none. */
  readonly idleSeconds: number | undefined;
  readonly price: PromptCachePrice;
  readonly model?: string;
}

/** How warm the provider's prompt cache is, by the time since the last request against its time to live. */
export function cacheTemperature({ promptTokens, idleSeconds, price, model }: CacheScene): CacheTemperature {
  if (promptTokens < minimumCachedTokens(price, model)) return "uncached";
  return idleSeconds === undefined || idleSeconds > price.ttlSeconds ? "cold" : "warm";
}
