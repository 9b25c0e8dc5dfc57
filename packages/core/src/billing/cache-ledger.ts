import type { JournalEntry } from "../audit/journal.ts";
import type { PrefixChange, RequestPrefix } from "../audit/request-cache-record.ts";
import type { PromptCachePrice } from "../providers/cache-prices.ts";
import { type CacheOutcome, inputBill, PromptCache } from "../providers/prompt-cache.ts";
import { amountOf, dollarsFor } from "./amount.ts";
import { type CountedMiss, type MissCause, missByClaim, missByRules } from "./cache-misses.ts";
import {
  keepShared,
  type LedgerOptions,
  matchingOf,
  playCall,
  promptTokens,
  type RecordedCall,
  RecordedCalls,
} from "./recorded-call.ts";

/**
 * One request of a journal. Tokens are the provider's if it reported any for the request, else those of the session's
 * counter.
 */
export interface LedgerCall {
  /** Sequence number of the request in the journal. */
  readonly sequence: number;
  /** ISO 8601 time in UTC. */
  readonly at: string;
  readonly format: string;
  /** Null when the journal names no model. */
  readonly model: string | null;
  readonly threadVersion: number;
  readonly planVersion: number;
  /** Seconds since the previous request; null for the first one. */
  readonly idleSeconds: number | null;
  /** The most tokens that the request could take; null in older journals. */
  readonly limitTokens: number | null;
  /** The request as the provider was expected to count it; in older journals as it was reported, else as counted. */
  readonly estimatedTokens: number;
  readonly inputTokens: number;
  /** Null when nothing was reported, as for a request that was never answered. */
  readonly outputTokens: number | null;
  /** How the input is billed: as the provider claims, else by its rules; null when neither is known. */
  readonly input: CacheOutcome | null;
  /** Price of input and output, in US dollars; null when a price is not known. */
  readonly dollars: number | null;
  /** Null in older journals, and when the provider's rules are not known. */
  readonly cache: LedgerCache | null;
  readonly misses: readonly CacheMiss[];
}

/** What the provider's prompt cache had of a request. */
export interface LedgerCache {
  /** Id of the price row. */
  readonly price: string;
  readonly ttlSeconds: number;
  /** Prefixes of the request, shortest first, in tokens of the session's counter. */
  readonly prefixes: readonly RequestPrefix[];
  readonly change: PrefixChange | null;
  /** Tokens of the longest prefix that the provider can have by its rules. */
  readonly possibleTokens: number;
  /** Tokens that the provider says it read from its cache; null when it says nothing. */
  readonly claimedTokens: number | null;
  /** How the request would be billed by the rules alone, in tokens of the session's counter. */
  readonly byRules: CacheOutcome;
}

/** Tokens that were not read from the cache, or were only claimed to be, and why. */
export type CacheMiss = MissCause & {
  readonly tokens: number;
  /** Their extra cost over reading them from the cache, in US dollars; null when the model's prices are not known. */
  readonly dollars: number | null;
};

/**
 * Computes for each request of a thread what the provider's prompt cache had, what the provider claims, what the
 * request cost, and why tokens were paid for again. Depends on the journal and the options alone.
 *
 * @param entries the journal of one thread, or the beginning of it.
 */
export function cacheLedger(entries: readonly JournalEntry[], options: LedgerOptions = {}): readonly LedgerCall[] {
  const ledger = new CacheLedger(options);
  ledger.take(entries);
  return ledger.calls;
}

/** The ledger of a growing journal. The cost of taking entries depends only on how many are new. */
export class CacheLedger {
  readonly calls: LedgerCall[] = [];
  readonly #recorded: RecordedCalls;
  readonly #cache = new PromptCache();
  /** Each call by the provider's rules; null when they are not known or the call has no cache record. */
  readonly #played: (RuledCall | null)[] = [];
  #leftTokens = 0;

  constructor(options: LedgerOptions = {}) {
    this.#recorded = new RecordedCalls(options);
  }

  /** Takes the next journal entries, and returns the indexes of calls that are new or have a new report, ascending. */
  take(entries: readonly JournalEntry[]): readonly number[] {
    const changed = new Set<number>();
    for (const entry of entries) {
      const place = this.#recorded.take(entry);
      if (place < 0) continue;
      // A report does not affect what the cache could have had, so each call is played only once.
      if (place === this.#played.length) this.#played.push(this.#play(place));
      this.calls[place] = this.#lineOf(place);
      changed.add(place);
    }
    return [...changed].sort((a, b) => a - b);
  }

  #play(place: number): RuledCall | null {
    const now = this.#recorded.calls[place] as RecordedCall;
    const before = this.#recorded.calls[place - 1] ?? null;
    const { price } = now;
    if (price === undefined || now.record.cache === undefined) return null;
    const cache = this.#cache;
    keepShared(cache, now, before, price);
    const expired = now.record.cache.prefixes.findLast(({ digest }) => cache.state(digest, now.at) === "expired");
    const outcome = playCall(cache, now, price);
    const leftTokens = this.#leftTokens;
    this.#leftTokens = outcome.readTokens + outcome.writtenTokens;
    return {
      outcome,
      miss: missByRules({ now, before, price, outcome, leftTokens, expiredTokens: expired?.tokens ?? 0 }),
    };
  }

  #lineOf(place: number): LedgerCall {
    const now = this.#recorded.calls[place] as RecordedCall;
    const { price } = now;
    const played = this.#played[place] ?? null;
    if (price === undefined || played === null) return ledgerCall(now, price, null, []);
    const { outcome, miss } = played;
    return ledgerCall(now, price, outcome, [
      ...(miss === null ? [] : [scaled(miss, scaleOf(now))]),
      ...claimMisses(now, price, outcome, this.#recorded.calls[place - 1] ?? null),
    ]);
  }
}

/** A call by the provider's rules. */
interface RuledCall {
  readonly outcome: CacheOutcome;
  readonly miss: CountedMiss | null;
}

/** Returns the provider's tokens per token of the session's counter. */
const scaleOf = ({ usage, record }: RecordedCall): number =>
  usage === undefined || record.tokens === 0 ? 1 : usage.inputTokens / record.tokens;

const scaled = <Miss extends CountedMiss>(miss: Miss, scale: number): Miss => ({
  ...miss,
  tokens: Math.round(miss.tokens * scale),
});

/** Checks the provider's claim, within a margin of the difference between the session's total and the provider's. */
function claimMisses(
  now: RecordedCall,
  price: PromptCachePrice,
  outcome: CacheOutcome,
  before: RecordedCall | null,
): readonly CountedMiss[] {
  const { usage, record } = now;
  if (usage?.cacheReadTokens === undefined) return [];
  const scale = scaleOf(now);
  const matching = record.cache && matchingOf(record.cache, price);
  // A provider that finds any prefix may match part of the first message that differs; no token is shorter than a byte.
  const within = matching?.kind === "implicit" ? matching.stepTokens - 1 + (record.cache?.change?.byte ?? 0) : 0;
  const believed = before === null ? record.tokens : (record.cache?.prefixes[0]?.tokens ?? 0);
  const miss = missByClaim({
    claimed: usage.cacheReadTokens,
    possible: Math.round(outcome.readTokens * scale),
    margin: Math.abs(usage.inputTokens - record.tokens) + within,
    believed: Math.round(believed * scale),
  });
  return miss === null ? [] : [miss];
}

function ledgerCall(
  now: RecordedCall,
  price: PromptCachePrice | undefined,
  outcome: CacheOutcome | null,
  misses: readonly CountedMiss[],
): LedgerCall {
  const { sequence, at, record, usage, model, idleSeconds } = now;
  const { format, threadVersion, planVersion } = record;
  const input = price === undefined ? null : paidInput(now, price, outcome);
  return {
    ...{ sequence, at: new Date(at).toISOString(), format, model, threadVersion, planVersion, idleSeconds },
    limitTokens: record.limitTokens ?? null,
    estimatedTokens: record.estimatedTokens ?? promptTokens(now),
    inputTokens: promptTokens(now),
    outputTokens: usage?.outputTokens ?? null,
    input,
    dollars: input === null ? null : dollarsFor(input.bill, usage?.outputTokens ?? 0, now.row, promptTokens(now)),
    cache: price === undefined || outcome === null ? null : ledgerCache(now, price, outcome),
    misses: misses.map((miss) => ({ ...miss, dollars: missDollars(miss, now) })),
  };
}

function ledgerCache(now: RecordedCall, price: PromptCachePrice, outcome: CacheOutcome): LedgerCache {
  const { cache } = now.record;
  return {
    price: price.id,
    ttlSeconds: price.ttlSeconds,
    prefixes: cache?.prefixes ?? [],
    change: cache?.change ?? null,
    possibleTokens: Math.round(outcome.readTokens * scaleOf(now)),
    claimedTokens: now.usage?.cacheReadTokens ?? null,
    byRules: outcome,
  };
}

/** Returns how the input was billed: as reported, and by the rules for what was not; null when neither is known. */
function paidInput(now: RecordedCall, price: PromptCachePrice, outcome: CacheOutcome | null): CacheOutcome | null {
  const { usage } = now;
  const scale = scaleOf(now);
  const inputTokens = promptTokens(now);
  const read = usage?.cacheReadTokens ?? (outcome === null ? undefined : Math.round(outcome.readTokens * scale));
  if (read === undefined) return null;
  const cached = outcome === null ? read : Math.round((outcome.readTokens + outcome.writtenTokens) * scale);
  const written = Math.min(usage?.cacheWriteTokens ?? Math.max(0, cached - read), inputTokens - read);
  const tokens = { readTokens: read, writtenTokens: written, uncachedTokens: inputTokens - read - written };
  return { ...tokens, bill: inputBill(tokens, price) };
}

function missDollars({ cause, tokens }: CountedMiss, call: RecordedCall): number | null {
  const { row, price } = call;
  if (price === undefined) return null;
  const more = (cause === "below-minimum" ? 1 : price.write) - price.read;
  return amountOf((cause === "claimed-more" ? -1 : 1) * tokens * more, row, promptTokens(call)).dollars;
}
