import {
  applySummaryChanges,
  checkArgument,
  checkCalls,
  checkEach,
  checkOptions,
  checkTimeLimit,
  type JsonObject,
  type OptionKinds,
  raceSignal,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  type SummaryCacheStore,
  ThreadfoldError,
  withinLimit,
} from "@threadfold/core";
import { LRUCache } from "lru-cache";
import { rulesKept, type SummaryCheck } from "../checks/summary-checks.ts";
import { fromPortable, readEntry, toPortable, writeEntry } from "./cache-entry.ts";
import { summaryCacheKey } from "./summary-cache-key.ts";

/** Options of {@link cachedSummarizer}: which summaries are cached, where, and the checks that an entry must pass. */
export interface SummaryCacheOptions {
  /** The tenant that the summaries belong to; null for a single-tenant installation. */
  readonly tenantId: string | null;
  /** Version of the compaction policy. Summaries are not shared between versions. */
  readonly policyVersion: string;
  /** Total size of the entries in memory, in UTF-16 code units; 32 Mi by default. */
  readonly maxSize?: number;
  /** Keeps entries beyond this process. */
  readonly store?: SummaryCacheStore;
  /**
   * Seals entries, so that somebody who can write to the store but does not know the secret cannot plant a summary.
   * Without it, corruption is detected but forgery is not.
   */
  readonly secret?: string;
  /** Checks that an entry must pass before it is used. By default only that it removes no rule. */
  readonly checks?: readonly SummaryCheck[];
  /**
   * Time limit for each call to `store`, in milliseconds. A call that takes longer counts as failed. 2 000 by default.
   */
  readonly storeTimeLimitMs?: number;
}

/** Counts since the cache was created. */
export interface SummaryCacheStatistics {
  readonly hits: number;
  readonly misses: number;
  /**
   * Entries that were found but discarded because they were corrupt or not even text, did not fit their key, or failed a
   * check.
   */
  readonly rejected: number;
}

/** A summarizer that answers equal requests from its cache. */
export interface CachedSummarizer extends Summarizer {
  readonly statistics: SummaryCacheStatistics;
}

/**
 * Wraps a summarizer so that equal content under the same policy is summarized only once. Equal requests that arrive at
 * the same time share one run. Entries refer to positions in the span and never to ids or turns, so a hit fits the
 * thread that asks. An entry that does not verify is treated as missing and made again.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when it is no summarizer, without a `policyVersion`, or for an option that
 * makes no sense.
 */
export function cachedSummarizer(inner: Summarizer, options: SummaryCacheOptions): CachedSummarizer {
  checkCalls("inner", inner, ["summarize"]);
  checkOptions("options", options, OPTIONS);
  checkArgument("policyVersion", options.policyVersion, "text");
  if (options.store !== undefined) checkCalls("store", options.store, ["get", "set"]);
  if (options.checks !== undefined) checkEach("checks", options.checks, ["problem"]);
  return new Cache(inner, options);
}

const OPTIONS: OptionKinds<SummaryCacheOptions> = {
  ...{ tenantId: "any", policyVersion: "any", maxSize: "figure", store: "any" },
  ...{ secret: "text", checks: "any", storeTimeLimitMs: "any" },
};

const DEFAULT_ENTRY_CHECKS: readonly SummaryCheck[] = Object.freeze([rulesKept]);

const STORE_TIME_LIMIT_MS = 2_000;
const DEFAULT_MAX_SIZE = 32 * 1024 * 1024;

class Cache implements CachedSummarizer {
  readonly id: string;
  readonly identity?: JsonObject;
  readonly #inner: Summarizer;
  readonly #options: SummaryCacheOptions;
  readonly #entries: LRUCache<string, string>;
  readonly #flights = new SingleFlight<string | null>();
  #hits = 0;
  #misses = 0;
  #rejected = 0;

  constructor(inner: Summarizer, options: SummaryCacheOptions) {
    this.id = inner.id;
    if (inner.identity !== undefined) this.identity = inner.identity;
    this.#inner = inner;
    this.#options = options;
    checkTimeLimit("storeTimeLimitMs", options.storeTimeLimitMs ?? STORE_TIME_LIMIT_MS);
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
    const { id: summarizer, identity = null } = this.#inner;
    const key = summaryCacheKey(request, { tenantId, policyVersion, summarizer, identity });
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
    if (changes === null) return this.#inner.summarize(request);
    return { changes, ...(changes.length === 0 && { nothingToSay: true as const }) };
  }

  /** Returns an entry that verifies and fits the request, from memory or from the store. */
  async #find(key: string, request: SummarizeRequest): Promise<string | null> {
    const entry = this.#entries.get(key) ?? (await this.#inStore((store) => store.get(key, request.threadId))) ?? null;
    if (entry === null) {
      this.#misses++;
      return null;
    }
    if (!(await this.#accepts(this.#changesOf(key, entry, request), request))) {
      this.#rejected++;
      this.#entries.delete(key);
      return null;
    }
    this.#hits++;
    this.#entries.set(key, entry);
    return entry;
  }

  async #accepts(changes: SummarizeResult["changes"] | null, request: SummarizeRequest): Promise<boolean> {
    if (changes === null) return false;
    const { summary } = applySummaryChanges(request.previous, request.span, changes);
    for (const check of this.#options.checks ?? DEFAULT_ENTRY_CHECKS)
      if ((await check.problem({ request, changes, summary })) !== null) return false;
    return true;
  }

  #changesOf(key: string, entry: string, request: SummarizeRequest): SummarizeResult["changes"] | null {
    const portable = readEntry(key, entry, this.#options.secret ?? null);
    return portable === null ? null : fromPortable(portable, request);
  }

  /**
   * Caches a result, except one that names messages outside its request, replaces a failed summary, or is blank without
   * saying that this is intended.
   */
  async #keep(key: string, result: SummarizeResult, request: SummarizeRequest): Promise<string | null> {
    const { changes, problem, nothingToSay } = result;
    const isMeant = problem === undefined && (changes.length > 0 || nothingToSay === true);
    const portable = isMeant ? toPortable(changes, request) : null;
    if (portable === null) return null;
    const entry = writeEntry(key, portable, this.#options.secret ?? null);
    this.#entries.set(key, entry);
    await this.#inStore((store) => store.set(key, entry, request.threadId));
    return entry;
  }

  /** Returns the store's answer; null when it fails or does not answer in time. */
  async #inStore<Result>(work: (store: SummaryCacheStore) => Promise<Result>): Promise<Result | null> {
    const { store, storeTimeLimitMs = STORE_TIME_LIMIT_MS } = this.#options;
    if (store === undefined) return null;
    return withinLimit(() => work(store), {
      ...{ milliseconds: storeTimeLimitMs, waitedFor: "the summary cache", option: "storeTimeLimitMs" },
      timers: globalThis,
    }).catch(() => null);
  }
}

interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  waiting: number;
}

/** Runs work once per key at a time. Concurrent callers share the result; when all give up, the work is aborted. */
class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result>>();

  /** @throws ThreadfoldError `ABORTED` when this caller's signal is aborted; the work continues for the others. */
  run(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (signal?.aborted) return Promise.reject(aborted(signal));
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.waiting++;
    return signal === undefined ? flight.result : this.#wait(key, flight, signal);
  }

  async #wait(key: string, flight: Flight<Result>, signal: AbortSignal): Promise<Result> {
    try {
      return await raceSignal(() => flight.result, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      if (--flight.waiting === 0) {
        this.#flights.delete(key);
        flight.controller.abort(signal.reason);
      }
      throw aborted(signal);
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController();
    const flight: Flight<Result> = { controller, waiting: 0, result: work(controller.signal) };
    this.#flights.set(key, flight);
    const land = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    flight.result.then(land, land);
    return flight;
  }
}

const aborted = (signal: AbortSignal): ThreadfoldError =>
  new ThreadfoldError("ABORTED", "Summarizing was aborted.", { cause: signal.reason });
