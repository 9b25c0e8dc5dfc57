import { randomBytes } from "node:crypto";
import { type SummaryCacheStore, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { memoryKeyStore } from "../encryption/subject-keys.ts";
import { entry, OTHER_THREAD, START, THREAD, transcript } from "../laws/sample-data.ts";
import { type OpenedStore, type OpenStoreOptions, openStore } from "../open-store.ts";
import { findService } from "../testing/services.ts";
import { eraseSubject } from "./erase-subject.ts";
import { unerasedSummaries } from "./refuse-erased.ts";

const service = await findService("THREADFOLD_REDIS_URL", "redis://127.0.0.1:6379");
const prefix = `threadfold-test-${randomBytes(6).toString("hex")}`;
const WHY = { actor: "test", reason: "test", at: START } as const;
const CANARY = "Zanzibar-4711";

const opened: OpenedStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

/** A store with two threads and what is cached beside it. */
async function open(options: OpenStoreOptions = {}, address = service.url) {
  const secret = "a secret of thirty-two characters";
  const summaryCache = { address, secret, prefix, timeoutMs: 10_000, onTrouble: () => undefined };
  const store = await openStore("memory:", { ...options, summaryCache });
  opened.push(store);
  for (const threadId of [THREAD, OTHER_THREAD])
    await store.threads.append(threadId, transcript(2), { expectedVersion: "no-thread" });
  return { store, cache: store.summaryCache as Required<SummaryCacheStore> };
}

describe.skipIf(!service.isThere)(`cached summaries in Redis beside a store${service.note}`, () => {
  let raw: Redis;
  beforeAll(() => void (raw = new Redis(service.url)));
  afterEach(async () => {
    const keys = await raw.keys(`${prefix}*`);
    if (keys.length > 0) await raw.del(...keys);
  });
  afterAll(() => raw.disconnect());

  /** Everything that Redis holds of this test, keys and values. */
  async function held(): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (const key of await raw.keys(`${prefix}*`)) {
      parts.push(Buffer.from(key));
      const values = (await raw.type(key)) === "set" ? await raw.smembers(key) : [await raw.get(key)];
      for (const value of values) parts.push(Buffer.from(value ?? ""));
    }
    return Buffer.concat(parts);
  }

  /** Spellings of a word, whatever bytes stand before it. */
  const spellings = (word: string): readonly (string | Buffer)[] => [
    word,
    word.toLowerCase(),
    Buffer.from(word, "utf16le"),
    Buffer.from(word).toString("hex"),
    Buffer.from(word).toString("hex").toUpperCase(),
    ...[0, 1, 2].flatMap((shift) => {
      const encoded = Buffer.from(" ".repeat(shift) + word).toString("base64");
      const inner = encoded.slice(shift === 0 ? 0 : 4, -4);
      return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
    }),
  ];
  const hits = async (): Promise<number> => {
    const bytes = await held();
    return spellings(CANARY).filter((spelling) => bytes.includes(spelling)).length;
  };

  it("R25 hold no text of an encrypted store in the clear, and become unreadable once their subject is erased", async () => {
    const keys = memoryKeyStore();
    const { store, cache } = await open({ encryption: { keys } });
    await cache.set(`key ${CANARY}`, `They spoke of ${CANARY}.`, THREAD);
    await cache.set("key of another", "Nothing much.", OTHER_THREAD);
    expect(await cache.get(`key ${CANARY}`, THREAD)).toBe(`They spoke of ${CANARY}.`);
    expect((await raw.keys(`${prefix}:summary:*`)).length).toBe(2);
    expect(await hits()).toBe(0);
    expect((await held()).includes(THREAD)).toBe(false);
    // Another thread's subject has other keys, and nobody asks for none.
    expect([await cache.get(`key ${CANARY}`, OTHER_THREAD), await cache.get(`key ${CANARY}`)]).toEqual([null, null]);
    await cache.set("key", CANARY);
    expect(await hits()).toBe(0);

    const report = await eraseSubject(store, THREAD, WHY);
    expect(report).toMatchObject({ keyShredded: true, cachedSummaries: { deleted: 1, isReached: true } });
    expect(await cache.get(`key ${CANARY}`, THREAD)).toBeNull();
    expect((await raw.keys(`${prefix}:summary:*`)).length).toBe(1);
    expect(await cache.get("key of another", OTHER_THREAD)).toBe("Nothing much.");
    // A session that is still open makes one more summary: it is not kept.
    await cache.set("key", CANARY, THREAD);
    expect((await raw.keys(`${prefix}:summary:*`)).length).toBe(1);
  });

  it("R23 of an unencrypted store are deleted with their thread, including those that another thread wrote", async () => {
    const { store, cache } = await open();
    await cache.set("own", CANARY, THREAD);
    await cache.set("found", CANARY, OTHER_THREAD);
    await cache.set("another's", "Nothing much.", OTHER_THREAD);
    expect(await cache.get("found", THREAD)).toBe(CANARY);
    expect(await hits()).toBeGreaterThan(0);
    const report = await eraseSubject(store, THREAD, WHY);
    expect(report.cachedSummaries).toEqual({ deleted: 2, isReached: true });
    expect(await hits()).toBe(0);
    expect(await cache.get("another's", OTHER_THREAD)).toBe("Nothing much.");
    await cache.set("own", CANARY, THREAD);
    expect(await hits()).toBe(0);
    expect((await eraseSubject(store, THREAD, { ...WHY, dryRun: true })).cachedSummaries).toBeNull();
  });

  it("R23 can be deleted by thread for as long as they exist, even if processes use different lifetimes", async () => {
    const secret = "a secret of thirty-two characters";
    const { openRedisSummaryCache } = await import("../redis/redis-summary-cache.ts");
    const options = { tenantId: null, secret, prefix, timeoutMs: 10_000 };
    const long = await openRedisSummaryCache(service.url, options);
    const short = await openRedisSummaryCache(service.url, { ...options, ttlSeconds: 60 });
    await long.set("long", CANARY, THREAD);
    await short.set("short", CANARY, THREAD);
    for (const key of await raw.keys(`${prefix}:summaries:*`)) expect(await raw.ttl(key)).toBeGreaterThan(60);
    expect(await short.forget(THREAD)).toBe(2);
    expect(await raw.keys(`${prefix}*`)).toEqual([]);
    await long.close();
    await short.close();
  });
});

describe("cached summaries in a Redis that does not answer", () => {
  const nowhere = "redis://127.0.0.1:1";

  it("make the erasure of an unencrypted thread fail, and a repeated erasure finishes it", async () => {
    const { store, cache } = await open({}, nowhere);
    await expect(eraseSubject(store, THREAD, WHY)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      hint: expect.stringContaining("erase again"),
    });
    expect(await store.journal.read(THREAD)).toEqual([]);
    const whole: OpenedStore = { ...store, summaryCache: { ...cache, forget: async () => 3 } };
    const report = await eraseSubject(whole, THREAD, WHY);
    expect(report).toMatchObject({ cachedSummaries: { deleted: 3, isReached: true }, threads: [{ proofSequence: 1 }] });
  });

  it("are reported as not reached when an erasure destroys the key that sealed them", async () => {
    const { store } = await open({ encryption: { keys: memoryKeyStore() } }, nowhere);
    const report = await eraseSubject(store, THREAD, WHY);
    expect(report).toMatchObject({ keyShredded: true, cachedSummaries: { deleted: 0, isReached: false } });
  });

  it("are not kept for a thread that is erased while they are written", async () => {
    const { store } = await open({}, nowhere);
    const kept = new Map<string, string>();
    const erased = { ...store, summaryCache: undefined };
    const cache = unerasedSummaries(
      {
        get: async () => null,
        set: async (key, text) => {
          kept.set(key, text);
          await eraseSubject(erased as never, THREAD, WHY);
        },
        forget: async (threadId: ThreadId) => {
          if (threadId !== THREAD) throw new ThreadfoldError("THREAD_NOT_FOUND", "another one");
          kept.clear();
          return 1;
        },
      },
      store,
    );
    await cache.set("key", CANARY, THREAD);
    expect(kept.size).toBe(0);
    await expect(store.threads.append(THREAD, [entry(9)], { expectedVersion: "any" })).rejects.toMatchObject({
      code: "CONTENT_ERASED",
    });
  });
});
