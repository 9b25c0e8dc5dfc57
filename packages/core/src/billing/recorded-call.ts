import type { JournalEntry, JournalRecord, RequestRenderedRecord } from "../audit/journal.ts";
import type { RequestCacheRecord } from "../audit/request-cache-record.ts";
import type { Usage } from "../model/message.ts";
import {
  PROMPT_CACHE_PRICES,
  type PromptCachePrice,
  promptCachePriceFor,
  promptCachePriceOfFormat,
  promptCachePriceOfModel,
} from "../providers/cache-prices.ts";
import { type ModelRow, modelName, modelRow } from "../providers/models.ts";
import { type CacheMatching, type CacheOutcome, cacheMatching, type PromptCache } from "../providers/prompt-cache.ts";

/** What a journal is priced with, in addition to the built-in tables. */
export interface LedgerOptions {
  /** Custom rows for prices and windows of models. */
  readonly models?: readonly ModelRow[];
  /** Custom rows for the prices of prompt caches. */
  readonly prices?: readonly PromptCachePrice[];
  /** The model assumed for requests that name none. */
  readonly model?: string;
}

/** A request of a journal, with its reported usage and the rows that it is priced by. */
export interface RecordedCall {
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly record: RequestRenderedRecord;
  readonly usage: Usage | undefined;
  /** Null when the journal names no model. */
  readonly model: string | null;
  /** Seconds since the previous request; null for the first one. */
  readonly idleSeconds: number | null;
  /** Prices of the provider's prompt cache, with the model's own minimum and read price; undefined if not known. */
  readonly price: PromptCachePrice | undefined;
  readonly row: ModelRow | undefined;
}

/** Checks for the record of a call: a request that was handed out, not one that was recorded only for its frame. */
export const isCall = (record: JournalRecord): record is RequestRenderedRecord =>
  record.type === "request-rendered" && record.handedOut !== false;

/** The calls of a growing journal, in order. The newest report of a request counts. */
export class RecordedCalls {
  readonly calls: RecordedCall[] = [];
  readonly #options: LedgerOptions;
  readonly #places = new Map<number, number>();

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Takes the next entry, and returns the index of the call that it is or reports on; -1 when it is neither. */
  take({ sequence, at, record }: JournalEntry): number {
    if (record.type === "usage-reported") return this.#report(record.requestSequence, record.usage);
    if (!isCall(record)) return -1;
    const before = this.calls.at(-1);
    const milliseconds = Date.parse(at);
    const idleSeconds = before === undefined ? null : Math.max(0, milliseconds - before.at) / 1_000;
    const prices = pricesOf(record, this.#options);
    const place = this.calls.push({ sequence, at: milliseconds, record, usage: undefined, idleSeconds, ...prices }) - 1;
    this.#places.set(sequence, place);
    return place;
  }

  #report(sequence: number, usage: Usage): number {
    const place = this.#places.get(sequence) ?? -1;
    const call = this.calls[place];
    if (call !== undefined) this.calls[place] = { ...call, usage };
    return place;
  }
}

/** Returns the tokens of a call's prompt: as the provider reported, else as counted. */
export const promptTokens = ({ usage, record }: RecordedCall): number => usage?.inputTokens ?? record.tokens;

/** Returns the calls of a journal. */
export function recordedCalls(entries: readonly JournalEntry[], options: LedgerOptions): readonly RecordedCall[] {
  const recorded = new RecordedCalls(options);
  for (const entry of entries) recorded.take(entry);
  return recorded.calls;
}

function pricesOf(
  { options: recorded, format, cache }: RequestRenderedRecord,
  { models = [], prices = [], model: assumed }: LedgerOptions,
): Pick<RecordedCall, "model" | "price" | "row"> {
  const model = typeof recorded["model"] === "string" ? recorded["model"] : null;
  const name = model ?? assumed ?? null;
  const row = name === null ? undefined : modelRow(name, models);
  const rows = [...prices, ...PROMPT_CACHE_PRICES];
  const price =
    rows.find(({ id }) => id === cache?.price) ??
    (name === null ? undefined : promptCachePriceOfModel(modelName(name), prices)) ??
    promptCachePriceOfFormat(format, prices);
  return { model, row, price: price && promptCachePriceFor(price, modelName(name ?? "")) };
}

/** Returns how the provider finds prefixes of a request; if its marks are not known, the most that it could find. */
export function matchingOf({ ends }: RequestCacheRecord, price: PromptCachePrice): CacheMatching {
  const matching = cacheMatching(price);
  if (ends === "marks") return matching.kind === "explicit" ? matching : { ...ANY_DISTANCE, kind: "explicit" };
  return matching.kind === "implicit" ? matching : { kind: "implicit", stepTokens: 1 };
}

const ANY_DISTANCE = { most: 4, lookBackBlocks: Number.POSITIVE_INFINITY } as const;

/** Returns the tokens of the prefix that a call shares with the previous one: as recorded, else by common digests. */
export function sharedTokens({ record }: RecordedCall, before: RecordedCall): number {
  const known = record.cache?.sharedTokens;
  if (known !== undefined) return known;
  const digests = new Set(before.record.cache?.prefixes.map(({ digest }) => digest));
  const shared = record.cache?.prefixes.findLast(({ digest }) => digests.has(digest));
  return shared?.tokens ?? 0;
}

/**
 * Puts the prefix that a call shares with the previous one into the simulated cache. When a provider finds any prefix,
 * the journal has only some of those that a request left behind.
 */
export function keepShared(
  cache: PromptCache,
  now: RecordedCall,
  before: RecordedCall | null,
  price: PromptCachePrice,
): void {
  const { cache: recorded } = now.record;
  if (recorded === undefined || before === null || matchingOf(recorded, price).kind !== "implicit") return;
  if (before.record.tokens < price.minimumPrefixTokens) return;
  const tokens = sharedTokens(now, before);
  const shared = recorded.prefixes.find((prefix) => prefix.tokens === tokens);
  if (shared !== undefined && tokens > 0) cache.keep(shared.digest, before.at, price.ttlSeconds * 1_000);
}

/** Plays a call through a provider's cache. */
export function playCall(
  cache: PromptCache,
  { at, record: { cache: recorded } }: RecordedCall,
  price: PromptCachePrice,
): CacheOutcome {
  const prefixes = recorded?.prefixes ?? [];
  const units = prefixes.map(({ digest, tokens, blocks }, index) => ({
    digest,
    tokens: tokens - (prefixes[index - 1]?.tokens ?? 0),
    blocks: blocks - (prefixes[index - 1]?.blocks ?? 0),
  }));
  const breakpoints = prefixes.flatMap(({ marked }, index) => (marked === true ? [index] : []));
  const matching = recorded && matchingOf(recorded, price);
  return cache.take({ at, units, breakpoints }, { price, ...(matching !== undefined && { matching }) });
}
