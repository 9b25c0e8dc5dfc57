import {
  type CachedRequest,
  cacheMatching,
  finishSteps,
  PROMPT_CACHE_PRICES,
  PromptCache,
  type PromptCachePrice,
  promptCachePrice,
  type Steps,
} from "@threadfold/core";

/** The three ways of computing a bill by which figures are compared (`targets.md`). */
export const BILL_IDS = ["a", "b", "c"] as const;
export type BillId = (typeof BILL_IDS)[number];

/** A bill of each kind, in input-token equivalents. */
export type Bills = Readonly<Record<BillId, number>>;

/** The shortest prefix that is cached, in tokens. */
const SHORTEST_CACHED = 1_024;
/** The longest pause that the cache survives, in milliseconds: five minutes. */
const LONGEST_PAUSE = 5 * 60 * 1_000;
const CACHED = 0.1;
const WRITTEN = 1.25;
const SUMMARY_READ = 1;
const SUMMARY_WROTE = 5;

/** The inputs of a call's bill. */
export interface BilledCall {
  readonly tokens: number;
  /** Tokens of the prefix shared with the previous prompt. */
  readonly sharedTokens: number;
  /** Milliseconds since the previous call; infinite for the first one. */
  readonly pause: number;
  readonly summaryRead: number;
  readonly summaryWrote: number;
}

/**
 * Returns the cost of one call: (a) the cached prefix at 0.1 and the rest at 1.25, (b) at 0.1 and 1.0, (c) without a
 * cache. Summary calls are added: tokens read × 1, tokens written × 5.
 */
export function callBills({ tokens, sharedTokens, pause, summaryRead, summaryWrote }: BilledCall): Bills {
  const cached = sharedTokens < SHORTEST_CACHED || pause > LONGEST_PAUSE ? 0 : sharedTokens;
  const fresh = tokens - cached;
  const summaries = summaryBill(summaryRead, summaryWrote);
  return {
    a: cached * CACHED + fresh * WRITTEN + summaries,
    b: cached * CACHED + fresh + summaries,
    c: tokens + summaries,
  };
}

/**
 * Returns the cost of a recall answer at the call that first reads it, where all of it is new to the prompt. Later
 * calls have it in their own prompts.
 */
export const answerBills = (tokens: number): Bills => ({ a: tokens * WRITTEN, b: tokens, c: tokens });

/** Returns the cost of summary calls, in input-token equivalents. */
export const summaryBill = (read: number, wrote: number): number => read * SUMMARY_READ + wrote * SUMMARY_WROTE;

/** The bills of a run by the id of each provider's price row, in input-token equivalents and without summary calls. */
export type ProviderBills = Readonly<Record<string, number>>;

/**
 * Plays a run's prompts through a simulation of every provider's prompt cache; caches that behave alike are played
 * once.
 */
export const providerBills = (requests: readonly CachedRequest[]): ProviderBills =>
  finishSteps(providerBillsInSteps(requests));

/** Does the same in steps of one request, because a long run takes seconds. */
export function* providerBillsInSteps(requests: readonly CachedRequest[]): Steps<ProviderBills> {
  const played = new Map<string, CacheUse>();
  const bills: [string, number][] = [];
  for (const price of PROMPT_CACHE_PRICES) {
    const behaviour = JSON.stringify([cacheMatching(price), price.ttlSeconds, price.minimumPrefixTokens]);
    const use = played.get(behaviour) ?? (yield* cacheUse(requests, price));
    played.set(behaviour, use);
    bills.push([price.id, use.read * price.read + use.written * price.write + use.uncached]);
  }
  return Object.fromEntries(bills);
}

/** Id of the bill of a policy that chooses, call by call, which of Anthropic's cache times its prefixes get. */
export const AUTO_BILL = "anthropic-auto";

/** A request, and how long its prefixes are cached. */
export interface TimedRequest {
  readonly request: CachedRequest;
  readonly time: "5m" | "1h";
}

/** Returns the bill of a run whose policy chose a cache time for each call. */
export function* autoBill(requests: readonly TimedRequest[]): Steps<number> {
  const cache = new PromptCache();
  const [short, long] = [promptCachePrice("anthropic"), promptCachePrice("anthropic-1h")];
  let sum = 0;
  for (const { request, time } of requests) {
    sum += cache.take(request, { price: time === "1h" ? long : short }).bill;
    yield;
  }
  return sum;
}

interface CacheUse {
  readonly read: number;
  readonly written: number;
  readonly uncached: number;
}

function* cacheUse(requests: readonly CachedRequest[], price: PromptCachePrice): Steps<CacheUse> {
  const cache = new PromptCache();
  let [read, written, uncached] = [0, 0, 0];
  for (const request of requests) {
    const { readTokens, writtenTokens, uncachedTokens } = cache.take(request, { price });
    read += readTokens;
    written += writtenTokens;
    uncached += uncachedTokens;
    yield;
  }
  return { read, written, uncached };
}
