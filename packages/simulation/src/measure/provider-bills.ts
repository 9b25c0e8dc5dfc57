import { PROMPT_CACHE_PRICES, type PromptCachePrice } from "@threadfold/core";
import { type CachedRequest, cacheMatching, simulatePrefixCache } from "@threadfold/renderer";

/** The bill of a run under each provider's price row, by the row's id, in input-token equivalents and without summary calls. */
export type ProviderBills = Readonly<Record<string, number>>;

/** Plays a run's prompts through every provider's prompt cache. Rows whose caches behave alike are played once. */
export function providerBills(requests: readonly CachedRequest[]): ProviderBills {
  const played = new Map<string, CacheUse>();
  return Object.fromEntries(
    PROMPT_CACHE_PRICES.map((price) => {
      const behaviour = JSON.stringify([cacheMatching(price), price.ttlSeconds, price.minimumPrefixTokens]);
      const use = played.get(behaviour) ?? cacheUse(requests, price);
      played.set(behaviour, use);
      return [price.id, use.read * price.read + use.written * price.write + use.uncached];
    }),
  );
}

interface CacheUse {
  readonly read: number;
  readonly written: number;
  readonly uncached: number;
}

function cacheUse(requests: readonly CachedRequest[], price: PromptCachePrice): CacheUse {
  const outcomes = simulatePrefixCache(requests, { price });
  return {
    read: outcomes.reduce((sum, { readTokens }) => sum + readTokens, 0),
    written: outcomes.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0),
    uncached: outcomes.reduce((sum, { uncachedTokens }) => sum + uncachedTokens, 0),
  };
}
