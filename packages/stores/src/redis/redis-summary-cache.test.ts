import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { asThreadId } from "@threadfold/core";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findService, startSilentServer } from "../testing/services.ts";
import {
  type CacheTrouble,
  openRedisSummaryCache,
  type RedisSummaryCache,
  type RedisSummaryCacheOptions,
} from "./redis-summary-cache.ts";

const service = await findService("THREADFOLD_REDIS_URL", "redis://127.0.0.1:6379");
const SECRET = "a secret of thirty-two characters";
const prefix = `threadfold-test-${randomBytes(6).toString("hex")}`;
const opened: RedisSummaryCache[] = [];
const troubles: CacheTrouble[] = [];

const open = async (options: Partial<RedisSummaryCacheOptions> = {}, url = service.url): Promise<RedisSummaryCache> => {
  const onTrouble = (trouble: CacheTrouble): unknown => troubles.push(trouble);
  const cache = await openRedisSummaryCache(url, {
    tenantId: null,
    secret: SECRET,
    prefix,
    onTrouble,
    // A server that answers late is not what most of these tests are about.
    timeoutMs: 60_000,
    ...options,
  });
  opened.push(cache);
  return cache;
};
afterEach(async () => {
  for (const cache of opened.splice(0)) await cache.close();
  troubles.length = 0;
});

describe.skipIf(!service.isThere)(`a summary cache in Redis${service.note}`, () => {
  let raw: Redis;
  beforeAll(() => void (raw = new Redis(service.url)));
  afterAll(async () => {
    const keys = await raw.keys(`${prefix}*`);
    if (keys.length > 0) await raw.del(...keys);
    raw.disconnect();
  });

  it("returns a stored entry over any connection and keeps it for at least 29 days", async () => {
    const cache = await open();
    expect(await cache.get("key")).toBeNull();
    await cache.set("key", "entry \0 消息");
    expect(await (await open()).get("key")).toBe("entry \0 消息");
    for (const key of await raw.keys(`${prefix}*`)) expect(await raw.ttl(key)).toBeGreaterThan(29 * 24 * 60 * 60);
    expect(troubles).toEqual([]);
  });

  it("R21 returns nothing to another tenant or secret, and hides the caller's keys from the server", async () => {
    await (await open({ tenantId: "one" })).set("a telling key", "entry");
    for (const options of [{ tenantId: "two" }, { tenantId: null }, { tenantId: "one", secret: `${SECRET}!` }])
      expect(await (await open(options)).get("a telling key")).toBeNull();
    expect((await raw.keys(`${prefix}*`)).join()).not.toMatch(/telling|one/);
  });

  it("R21 treats a forged or moved value as a miss and reports it", async () => {
    const cache = await open({ tenantId: "forged" });
    const before = new Set(await raw.keys(`${prefix}*`));
    await cache.set("first", "entry");
    await cache.set("second", "other");
    const [one, two] = (await raw.keys(`${prefix}*`)).filter((key) => !before.has(key)) as [string, string];
    const sealed = (await raw.get(one)) as string;
    for (const forged of ["", "poison", `1${"0".repeat(64)}poison`, `${sealed}!`]) {
      await raw.set(two, forged);
      await raw.set(one, forged);
      expect(await cache.get("first")).toBeNull();
      expect(await cache.get("second")).toBeNull();
    }
    await raw.set(two, sealed);
    await raw.set(one, sealed);
    expect([await cache.get("first"), await cache.get("second")].filter((value) => value === null)).toHaveLength(1);
    expect(new Set(troubles.map(({ kind }) => kind))).toEqual(new Set(["not-authentic"]));
    expect(JSON.stringify(troubles)).not.toMatch(/poison|entry/);
  });

  it("keeps working after the server loses all entries or ends the connection", async () => {
    let now = 0;
    const cache = await open({ clock: { now: () => now } });
    await cache.set("key", "entry");
    await raw.del(...(await raw.keys(`${prefix}*`)));
    expect(await cache.get("key")).toBeNull();
    await cache.set("key", "entry");
    const clients = ((await raw.call("CLIENT", "LIST")) as string).split("\n");
    const own = clients.filter((client) => client.includes(`name=${prefix} `));
    expect(own).toHaveLength(1);
    for (const client of own) await raw.call("CLIENT", "KILL", "ID", /id=(\d+)/.exec(client)?.[1] as string);
    while ((await cache.get("key")) === null) {
      now += 10_000;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await cache.get("key")).toBe("entry");
  });
});

describe("a summary cache whose Redis is unreachable", () => {
  it("misses, reports the trouble once and never throws", async () => {
    const cache = await open({}, "redis://me:hidden@127.0.0.1:1");
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await cache.get("key")).toBeNull();
      await cache.set("key", "entry");
    }
    expect(troubles).toEqual([{ kind: "unreachable", message: expect.not.stringContaining("hidden") }]);
  });

  it("waits no longer than its timeout for a server that accepts the connection but never answers", async () => {
    const silent = createServer((socket) => void socket.on("error", () => undefined)).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const address = silent.address() as { port: number };
    const cache = await open({ timeoutMs: 100, clock: { now: () => 0 } }, `redis://127.0.0.1:${address.port}`);
    // The connection took its time to fail; from then on nothing is waited for, not even for a turn of the process.
    const answers = Promise.all(Array.from({ length: 10 }, () => cache.get("key")));
    expect(await Promise.race([answers, nextTurn("waited")])).toEqual(Array(10).fill(null));
    expect(troubles).toHaveLength(1);
    silent.close();
  });

  it("waits no longer than its timeout for the rest of half an answer, and closes at once", async () => {
    const half = await startSilentServer("$1000\r\nhalf");
    const cache = await open({ timeoutMs: 50 }, `redis://127.0.0.1:${half.port}`);
    expect(await cache.get("key")).toBeNull();
    await expect(cache.forget(asThreadId("thread"))).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await cache.close();
    expect(troubles).toEqual([expect.objectContaining({ kind: "unreachable" })]);
    await half.close();
  });

  it("does not throw when its onTrouble listener throws", async () => {
    const onTrouble = (): never => {
      throw new Error("a listener's failure");
    };
    const cache = await open({ onTrouble }, "redis://127.0.0.1:1");
    expect(await cache.get("key")).toBeNull();
  });

  it("refuses options out of range", async () => {
    for (const options of [{ secret: "short" }, { ttlSeconds: 0 }, { timeoutMs: 1.5 }])
      await expect(open(options)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    await expect(open({}, "http://127.0.0.1")).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    await expect(openRedisSummaryCache("redis://127.0.0.1:1", undefined as never)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      details: { name: "options" },
    });
  });
});
