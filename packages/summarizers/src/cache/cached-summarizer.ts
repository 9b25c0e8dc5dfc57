import type { SummarizeRequest, SummarizeResult, Summarizer } from "@threadfold/core";
import { LRUCache } from "lru-cache";
import { readEntry, writeEntry } from "./cache-entry.ts";
import { fromPortable, toPortable } from "./portable-changes.ts";
import { SingleFlight } from "./single-flight.ts";
import { summaryCacheKey } from "./summary-cache-key.ts";
import type { SummaryCacheStore } from "./summary-cache-store.ts";

/** How a summary cache is kept. */
export interface SummaryCacheOptions {
  /** Whose summaries these are; null for a single-tenant installation. */
  readonly tenantId: string | null;
  /** Version of the compaction policy: another version makes its own summaries. */
  readonly policyVersion: string;
  /** Entries in memory take at most so many UTF-16 code units together; 32 Mi by default. */
  readonly maxSize?: number;
  /** Keeps entries beyond this process. */
  readonly store?: SummaryCacheStore;
}

const DEFAULT_MAX_SIZE = 32 * 1024 * 1024;

/** What keeping and finding summaries has come to. */
export interface SummaryCacheStatistics {
  readonly hits: number;
  readonly misses: number;
  /** Entries that were found and thrown away because they were garbled or did not fit their key. */
  readonly rejected: number;
}

/** A summarizer that remembers. */
export interface CachedSummarizer extends Summarizer {
  readonly statistics: SummaryCacheStatistics;
}

/**
 * Remembers what another summarizer said of the same content under the same policy (seed 002, summary caching). Equal
 * requests that run at the same time run once. Entries name places in the span and never ids or turns, so a hit belongs to
 * the thread that asks. An entry that does not verify counts as missing and is made again.
 */
export function cachedSummarizer(inner: Summarizer, options: SummaryCacheOptions): CachedSummarizer {
  return new Cache(inner, options);
}

class Cache implements CachedSummarizer {
  readonly id: string;
  readonly #inner: Summarizer;
  readonly #options: SummaryCacheOptions;
  readonly #entries: LRUCache<string, string>;
  readonly #flights = new SingleFlight<string | null>();
  #hits = 0;
  #misses = 0;
  #rejected = 0;

  constructor(inner: Summarizer, options: SummaryCacheOptions) {
    this.id = inner.id;
    this.#inner = inner;
    this.#options = options;
    this.#entries = new LRUCache({
      maxSize: options.maxSize ?? DEFAULT_MAX_SIZE,
      sizeCalculation: (entry) => entry.length + 1,
    });
  }

  get statistics(): SummaryCacheStatistics {
    return { hits: this.#hits, misses: this.#misses, rejected: this.#rejected };
  }

  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    const { tenantId, policyVersion } = this.#options;
    const key = summaryCacheKey(request, { tenantId, policyVersion, summarizer: this.#inner.id });
    const own: { result?: SummarizeResult } = {};
    const entry = await this.#flights.run(key, request.signal, async (signal) => {
      const found = await this.#find(key, request);
      if (found !== null) return found;
      signal.throwIfAborted();
      own.result = await this.#inner.summarize({ ...request, signal });
      return this.#keep(key, own.result, request);
    });
    if (own.result !== undefined) return own.result;
    const changes = entry === null ? null : this.#changesOf(key, entry, request);
    return changes === null ? this.#inner.summarize(request) : { changes };
  }

  /** An entry that verifies and fits the request, from memory or from the store. */
  async #find(key: string, request: SummarizeRequest): Promise<string | null> {
    const entry = this.#entries.get(key) ?? (await this.#options.store?.get(key).catch(() => null)) ?? null;
    if (entry === null) {
      this.#misses++;
      return null;
    }
    if (this.#changesOf(key, entry, request) === null) {
      this.#rejected++;
      this.#entries.delete(key);
      return null;
    }
    this.#hits++;
    this.#entries.set(key, entry);
    return entry;
  }

  #changesOf(key: string, entry: string, request: SummarizeRequest): SummarizeResult["changes"] | null {
    const portable = readEntry(key, entry);
    return portable === null ? null : fromPortable(portable, request);
  }

  /** Keeps a result; one that names messages beyond its request is not kept. */
  async #keep(key: string, { changes }: SummarizeResult, request: SummarizeRequest): Promise<string | null> {
    const portable = toPortable(changes, request);
    if (portable === null) return null;
    const entry = writeEntry(key, portable);
    this.#entries.set(key, entry);
    await this.#options.store?.set(key, entry).catch(() => undefined);
    return entry;
  }
}
