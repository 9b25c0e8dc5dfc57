import type { JournalEntry } from "../audit/journal.ts";
import type { PromptCachePrice } from "../providers/cache-prices.ts";
import { isCall } from "./recorded-call.ts";

/** Two times for which a provider keeps prefixes. */
export interface CacheTimes {
  /** What is written for it costs less. */
  readonly short: PromptCachePrice;
  readonly long: PromptCachePrice;
}

/** What was seen of a thread's requests, as far as the time for the next one depends on it. */
export interface CacheCadence {
  /** Requests that came after another one. */
  readonly requests: number;
  /** Of these, those that came too late for the shorter time and not for the longer one. */
  readonly pauses: number;
  /** The newest request; null before the first one. */
  readonly newest: CadenceRequest | null;
  /** What is kept for the longer time: tokens of a beginning of the newest request, and until when, in milliseconds. */
  readonly long: { readonly tokens: number; readonly until: number };
}

/** A request, as far as the time of its prefixes depends on it. */
export interface CadenceRequest {
  /** When it goes out, in milliseconds. */
  readonly at: number;
  readonly tokens: number;
  /** Names what its beginning depends on: requests with the same name extend one another. */
  readonly epoch: string;
}

export const NO_CADENCE: CacheCadence = Object.freeze({
  requests: 0,
  pauses: 0,
  newest: null,
  long: Object.freeze({ tokens: 0, until: 0 }),
});

/** Before anything was seen, one request in fifty is taken to come after such a pause, as if fifty had been seen. */
const PRIOR = { requests: 50, pauses: 1 } as const;

/**
 * For which time the prefixes of a request are written. What a mark writes is only what is not in the cache yet, and what it keeps
 * is all in front of it: shortly after the rest was written for the shorter time, the whole is kept for the longer one at the
 * price of a few tokens. So the longer time is chosen where what it keeps beyond what is kept already, times the chance that a
 * pause comes next, is worth more than what the few tokens cost on top.
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

/** The cadence after a request went out. @param time what its prefixes were written for. */
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

/** The cadence that a request meets: with the pause before it, and without what it does not begin with any more. */
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

/** Tokens that the request before left for the shorter time. */
function shortlyKept({ newest }: CacheCadence, { at, epoch, tokens }: CadenceRequest, short: PromptCachePrice): number {
  if (newest === null || newest.epoch !== epoch || at - newest.at >= 1_000 * short.ttlSeconds) return 0;
  return Math.min(tokens, newest.tokens);
}

/** What a request's beginning depends on. Tools and system text seldom change; a change of theirs costs one request more. */
export const cadenceEpoch = (planVersion: number, model: string | undefined): string => `${planVersion} ${model ?? ""}`;

/** The cadence of what a journal holds, for a session that is opened again. */
export function cadenceOf(entries: readonly JournalEntry[], times: CacheTimes): CacheCadence {
  return entries.reduce((cadence, { at, record }) => {
    if (!isCall(record)) return cadence;
    const model = record.options["model"];
    const epoch = cadenceEpoch(record.planVersion, typeof model === "string" ? model : undefined);
    const request = { at: Date.parse(at), tokens: record.tokens, epoch };
    return cadenceAfter(cadence, request, times, { id: record.cache?.price ?? times.short.id });
  }, NO_CADENCE);
}
