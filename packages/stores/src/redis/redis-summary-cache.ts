import { type Clock, type SummaryCacheStore, ThreadfoldError, type ThreadId, tellListener } from "@threadfold/core";
import type { Redis } from "ioredis";
import { loadDriver } from "../shared/load-driver.ts";
import { systemClock } from "../shared/store-basics.ts";
import { valueSeal } from "./sealed-value.ts";

/** What went wrong with a cache. Its user got a miss and goes on. */
export interface CacheTrouble {
  /** The server did not answer, or a value is not one that this tenant wrote with this secret. */
  readonly kind: "unreachable" | "not-authentic";
  /** Without any content. */
  readonly message: string;
}

/** How a summary cache in Redis is opened. */
export interface RedisSummaryCacheOptions {
  /** Whose summaries these are; null for a single-tenant installation. */
  readonly tenantId: string | null;
  /**
   * At least 32 characters. It authenticates values, and hides none: values that were written without it are misses, and
   * what the server holds is as readable as what was put in. The store that `openStore` opens with `encryption` seals before.
   */
  readonly secret: string;
  /** Seconds after which the server forgets a value; 30 days by default. */
  readonly ttlSeconds?: number;
  /** What keys begin with, and the connection's name; `threadfold` by default. */
  readonly prefix?: string;
  /** How long a command may take, in milliseconds; 250 by default. */
  readonly timeoutMs?: number;
  /** Called when trouble begins, and not again until it is over. A process warning by default. What it throws is ignored. */
  readonly onTrouble?: (trouble: CacheTrouble) => void;
  /** Tells how long the server has been away. The machine's clock by default. */
  readonly clock?: Clock;
}

/** A summary cache that has to be closed. */
export interface RedisSummaryCache extends SummaryCacheStore {
  forget(threadId: ThreadId): Promise<number>;
  close(): Promise<void>;
}

const DEFAULT_PREFIX = "threadfold";
const SHORTEST_SECRET = 32;
const THIRTY_DAYS = 30 * 24 * 60 * 60;
/**
 * How long the server is left alone after a failure, so that a slow one costs its timeout once in a while and not per
 * call.
 */
const PAUSE_MS = 1_000;
/** Values that are deleted with one command. */
const AT_A_TIME = 500;

/**
 * Opens a summary cache in Redis. It never fails and never throws once it is open: a server that is not there, or goes
 * away, or forgets, is a miss and costs only time.
 *
 * @param address `redis://user:password@host:port/database`, or `rediss:` for TLS.
 * @throws ThreadfoldError `INVALID_CONFIG` for options out of range, and when `ioredis` is not installed.
 */
export async function openRedisSummaryCache(
  address: string,
  options: RedisSummaryCacheOptions,
): Promise<RedisSummaryCache> {
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
    // Failures show where a command is sent; without a listener every lost connection is printed.
    redis.on("error", () => undefined);
  }

  async connect(): Promise<void> {
    await this.#attempt(() => this.#redis.connect());
  }

  async get(key: string, threadId?: ThreadId): Promise<string | null> {
    const sealed = await this.#attempt(() => this.#redis.get(this.#name(key)));
    if (sealed === null) return null;
    const value = this.#seal.open(key, sealed);
    if (value === null) this.#tell({ kind: "not-authentic", message: "A cached summary is not this tenant's own." });
    // Whoever finds what another thread cached has said the same: forgetting either one takes it away.
    if (value !== null && threadId !== undefined) await this.#attempt(() => this.#note(threadId, key));
    return value;
  }

  async set(key: string, entry: string, threadId?: ThreadId): Promise<void> {
    await this.#attempt(async () => {
      // Noted first, so that whatever lies there can be found again.
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
        hint: "Summaries of the thread may be left in it until they expire; erase again once it answers.",
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

  /** Where the names of a thread's summaries are kept. */
  #listOf(threadId: ThreadId): string {
    return `${this.#prefix}:summaries:${this.#seal.name(`summaries of ${threadId}`)}`;
  }

  /** The list outlives all that it names, also where processes keep values for different times. */
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
