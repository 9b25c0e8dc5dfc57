import type { JournalEntry } from "../audit/journal.ts";
import type { PromptCachePrice } from "../providers/cache-prices.ts";
import { isCall } from "./recorded-call.ts";

/** The two lifetimes that a provider offers for cached prefixes. */
export interface CacheTimes {
  /** The shorter lifetime, for which writing costs less. */
  readonly short: PromptCachePrice;
  readonly long: PromptCachePrice;
}

/** The history of a thread's requests that determines the lifetime to choose for the next one. */
export interface CacheCadence {
  /** The number of requests that followed another one. */
  readonly requests: number;
  /** The number of these that came too late for the shorter lifetime but not for the longer one. */
  readonly pauses: number;
  /** The newest request; null if there is none yet. */
  readonly newest: CadenceRequest | null;
  /** The prefix of the newest request cached for the longer lifetime: its tokens, and its expiry in milliseconds. */
  readonly long: { readonly tokens: number; readonly until: number };
}

/** The facts about a request that determine the lifetime of its prefixes. */
export interface CadenceRequest {
  /** When it is sent, in milliseconds. */
  readonly at: number;
  readonly tokens: number;
  /** Identifies what its prefix depends on: requests of the same epoch extend one another. */
  readonly epoch: string;
}

export const NO_CADENCE: CacheCadence = Object.freeze({
  requests: 0,
  pauses: 0,
  newest: null,
  long: Object.freeze({ tokens: 0, until: 0 }),
});

/** The prior: one request in fifty follows such a pause, with the weight of fifty observed requests. */
const PRIOR = { requests: 50, pauses: 1 } as const;

/**
 * Chooses the lifetime for which the prefixes of a request are written. A mark writes only the tokens that are not in
 * the cache yet, but keeps everything before it: soon after the rest was written for the shorter lifetime, the whole
 * prefix can be kept for the longer one at the price of a few tokens. So the longer lifetime is chosen when the tokens
 * that it would keep additionally, times the probability that a pause comes next, are worth more than the extra cost of
 * writing those few.
 */
export function cacheTimeFor(
  cadence: CacheCadence,
  request: CadenceRequest,
  { short, long }: CacheTimes,
): PromptCachePrice {
  const { requests, pauses, long: kept } = cadenceUntil(cadence, request, { short, long });
  const isKept = kept.until > request.at;
  const fresh = request.tokens - Math.max(isKept ? kept.tokens : 0, shortlyKept(cadence, request, short));
  const chance = (pauses + PRIOR.pauses) / (requests + PRIOR.requests);
  const worth = chance * (short.write - short.read) * (request.tokens - (isKept ? kept.tokens : 0));
  return worth >= (long.write - short.write) * Math.max(0, fresh) ? long : short;
}

/** Returns the cadence after a request was sent. @param time the lifetime that its prefixes were written for. */
export function cadenceAfter(
  cadence: CacheCadence,
  request: CadenceRequest,
  times: CacheTimes,
  time: Pick<PromptCachePrice, "id">,
): CacheCadence {
  const seen = cadenceUntil(cadence, request, times);
  const until = request.at + 1_000 * times.long.ttlSeconds;
  const isKept = seen.long.until > request.at;
  const tokens = time.id === times.long.id ? request.tokens : isKept ? seen.long.tokens : 0;
  return { ...seen, newest: request, long: { tokens, until: tokens > 0 ? until : 0 } };
}

/** Returns the cadence as of a request: with the pause before it counted, and a prefix of another epoch dropped. */
function cadenceUntil(cadence: CacheCadence, { at, epoch }: CadenceRequest, { short, long }: CacheTimes): CacheCadence {
  const { newest } = cadence;
  if (newest === null) return cadence;
  const idleSeconds = (at - newest.at) / 1_000;
  const isPause = idleSeconds >= short.ttlSeconds && idleSeconds < long.ttlSeconds;
  return {
    ...cadence,
    requests: cadence.requests + 1,
    pauses: cadence.pauses + (isPause ? 1 : 0),
    long: newest.epoch === epoch ? cadence.long : NO_CADENCE.long,
  };
}

/** Returns the tokens that the previous request left in the cache for the shorter lifetime. */
function shortlyKept({ newest }: CacheCadence, { at, epoch, tokens }: CadenceRequest, short: PromptCachePrice): number {
  if (newest === null || newest.epoch !== epoch || at - newest.at >= 1_000 * short.ttlSeconds) return 0;
  return Math.min(tokens, newest.tokens);
}

/** Returns the epoch of a request. It ignores tools and system text: they rarely change, at the cost of one request. */
export const cadenceEpoch = (planVersion: number, model: string | undefined): string => `${planVersion} ${model ?? ""}`;

/** Returns the cadence of the requests in a journal, for a session that is reopened. */
export function cadenceOf(entries: readonly JournalEntry[], times: CacheTimes): CacheCadence {
  return entries.reduce((cadence, { at, record }) => {
    if (!isCall(record)) return cadence;
    const model = record.options["model"];
    const epoch = cadenceEpoch(record.planVersion, typeof model === "string" ? model : undefined);
    const request = { at: Date.parse(at), tokens: record.tokens, epoch };
    return cadenceAfter(cadence, request, times, { id: record.cache?.price ?? times.short.id });
  }, NO_CADENCE);
}
