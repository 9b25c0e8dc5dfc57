import {
  type Clock,
  checkArgument,
  type SummaryCacheStore,
  ThreadfoldError,
  type ThreadId,
  tellListener,
} from "@threadfold/core";
import type { Redis } from "ioredis";
import { loadDriver } from "../shared/on-demand.ts";
import { systemClock } from "../shared/store-basics.ts";
import { valueSeal } from "./sealed-value.ts";

/** A problem with a cache. Its user got a miss and continues. */
export interface CacheTrouble {
  /** The server did not respond, or a value is not one that this tenant wrote with this secret. */
  readonly kind: "unreachable" | "not-authentic";
  /** Without any content. */
  readonly message: string;
}

/** Options for opening a summary cache in Redis. */
export interface RedisSummaryCacheOptions {
  /** The tenant that the summaries belong to; null for a single-tenant installation. */
  readonly tenantId: string | null;
  /**
   * At least 32 characters. It authenticates values but does not hide them: values written without it are misses, and
   * what the server holds is as readable as what was put in. The store that `openStore` opens with `encryption` seals
   * values first.
   */
  readonly secret: string;
  /** Seconds after which the server forgets a value; 30 days by default. */
  readonly ttlSeconds?: number;
  /** The prefix of keys, and the connection's name; `threadfold` by default. */
  readonly prefix?: string;
  /** Time limit for a command, in milliseconds; 250 by default. */
  readonly timeoutMs?: number;
  /**
   * Called once when the server becomes unreachable, and for each value that is not authentic. Emits a process warning
   * by default. What it throws is ignored.
   */
  readonly onTrouble?: (trouble: CacheTrouble) => void;
  /** Supplies the time, for the pause after a failure. The machine's clock by default. */
  readonly clock?: Clock;
}

/** A summary cache that must be closed. */
export interface RedisSummaryCache extends SummaryCacheStore {
  forget(threadId: ThreadId): Promise<number>;
  close(): Promise<void>;
}

const DEFAULT_PREFIX = "threadfold";
const SHORTEST_SECRET = 32;
const THIRTY_DAYS = 30 * 24 * 60 * 60;
/**
 * How long the server is left alone after a failure, in milliseconds, so that a slow one costs its timeout only once in
 * a while instead of on every call.
 */
const PAUSE_MS = 1_000;
/** Number of values deleted with one command. */
const AT_A_TIME = 500;

/**
 * Opens a summary cache in Redis. Once open, `get` and `set` never throw: a server that is unreachable, goes away or
 * forgets is a miss and costs only time. `forget` throws `STORE_UNAVAILABLE` when the server does not respond.
 *
 * @param address `redis://user:password@host:port/database`, or `rediss:` for TLS.
 * @throws ThreadfoldError `INVALID_CONFIG` for options out of range, and when `ioredis` is not installed.
 */
export async function openRedisSummaryCache(
  address: string,
  options: RedisSummaryCacheOptions,
): Promise<RedisSummaryCache> {
  checkArgument("options", options, "object");
  const { ttlSeconds = THIRTY_DAYS, timeoutMs = 250 } = options;
  checkOptions(address, options.secret, ttlSeconds, timeoutMs);
  const { Redis } = loadDriver("ioredis");
  const redis = new Redis(address, {
    lazyConnect: true,
    connectionName: options.prefix ?? DEFAULT_PREFIX,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: Math.max(1_000, timeoutMs),
    commandTimeout: timeoutMs,
    retryStrategy: (attempt) => Math.min(attempt * 100, 5_000),
  });
  const cache = new RedisCache(redis, ttlSeconds, options);
  await cache.connect();
  return cache;
}

class RedisCache implements RedisSummaryCache {
  readonly #redis: Redis;
  readonly #ttlSeconds: number;
  readonly #prefix: string;
  readonly #seal: ReturnType<typeof valueSeal>;
  readonly #clock: Clock;
  readonly #onTrouble: (trouble: CacheTrouble) => void;
  #troubled = false;
  #quietUntilMs = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis, ttlSeconds: number, options: RedisSummaryCacheOptions) {
    this.#redis = redis;
    this.#ttlSeconds = ttlSeconds;
    this.#prefix = options.prefix ?? DEFAULT_PREFIX;
    this.#seal = valueSeal(options.secret, options.tenantId);
    this.#clock = options.clock ?? systemClock;
    this.#onTrouble = options.onTrouble ?? warn;
    // Failures appear when a command is sent; without a listener, every lost connection is printed.
    redis.on("error", () => undefined);
  }

  async connect(): Promise<void> {
    await this.#attempt(() => this.#redis.connect());
  }

  async get(key: string, threadId?: ThreadId): Promise<string | null> {
    const sealed = await this.#attempt(() => this.#redis.get(this.#name(key)));
    if (sealed === null) return null;
    const value = this.#seal.open(key, sealed);
    if (value === null)
      this.#tell({ kind: "not-authentic", message: "A cached summary does not belong to this tenant." });
    // A thread that finds what another one cached shares it: forgetting either one removes it.
    if (value !== null && threadId !== undefined) await this.#attempt(() => this.#note(threadId, key));
    return value;
  }

  async set(key: string, entry: string, threadId?: ThreadId): Promise<void> {
    await this.#attempt(async () => {
      // Noted first, so that everything stored can be found again.
      if (threadId !== undefined) await this.#note(threadId, key);
      await this.#redis.set(this.#name(key), this.#seal.seal(key, entry), "EX", this.#ttlSeconds);
    });
  }

  async forget(threadId: ThreadId): Promise<number> {
    const list = this.#listOf(threadId);
    try {
      const names = await this.#redis.smembers(list);
      let removed = 0;
      for (let start = 0; start < names.length; start += AT_A_TIME)
        removed += await this.#redis.del(...names.slice(start, start + AT_A_TIME));
      await this.#redis.del(list);
      return removed;
    } catch {
      throw new ThreadfoldError("STORE_UNAVAILABLE", "The summary cache in Redis does not answer.", {
        hint: "Summaries of the thread may remain in it until they expire; erase again once it answers.",
      });
    }
  }

  async close(): Promise<void> {
    this.#quietUntilMs = Number.POSITIVE_INFINITY;
    this.#redis.disconnect();
  }

  #name(key: string): string {
    return `${this.#prefix}:summary:${this.#seal.name(key)}`;
  }

  /** Returns the key under which the names of a thread's summaries are kept. */
  #listOf(threadId: ThreadId): string {
    return `${this.#prefix}:summaries:${this.#seal.name(`summaries of ${threadId}`)}`;
  }

  /**
   * Adds a name to a thread's list, which outlives all that it names, even if processes use different times to live.
   */
  async #note(threadId: ThreadId, key: string): Promise<void> {
    const list = this.#listOf(threadId);
    await this.#redis.sadd(list, this.#name(key));
    if ((await this.#redis.ttl(list)) < this.#ttlSeconds) await this.#redis.expire(list, this.#ttlSeconds);
  }

  async #attempt<Result>(work: () => Promise<Result>): Promise<Result | null> {
    if (this.#clock.now() < this.#quietUntilMs) return null;
    try {
      const result = await work();
      this.#troubled = false;
      return result;
    } catch {
      if (this.#quietUntilMs !== Number.POSITIVE_INFINITY) this.#quietUntilMs = this.#clock.now() + PAUSE_MS;
      if (!this.#troubled) this.#tell({ kind: "unreachable", message: "The summary cache in Redis does not answer." });
      this.#troubled = true;
      return null;
    }
  }

  #tell(trouble: CacheTrouble): void {
    tellListener(this.#onTrouble, Object.freeze(trouble));
  }
}

const warn = ({ message }: CacheTrouble): void => process.emitWarning(message, { code: "THREADFOLD_CACHE" });

function checkOptions(address: string, secret: string, ttlSeconds: number, timeoutMs: number): void {
  const problem = !/^rediss?:\/\//.test(address)
    ? "The address of a summary cache begins with redis:// or rediss://."
    : typeof secret !== "string" || secret.length < SHORTEST_SECRET
      ? `secret has to have at least ${SHORTEST_SECRET} characters.`
      : [ttlSeconds, timeoutMs].some((value) => !Number.isSafeInteger(value) || value < 1)
        ? "ttlSeconds and timeoutMs have to be whole numbers of at least 1."
        : undefined;
  if (problem !== undefined) throw new ThreadfoldError("INVALID_CONFIG", problem);
}
