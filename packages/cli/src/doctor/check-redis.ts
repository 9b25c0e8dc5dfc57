import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { type Checkup, checkup } from "./checkup.ts";

/** A Redis for summaries: writes a value that goes by itself, and reads it back. */
export async function checkRedis(address: string): Promise<readonly Checkup[]> {
  const { openRedisSummaryCache } = await import("@threadfold/stores/redis");
  const troubles: string[] = [];
  const cache = await openRedisSummaryCache(address, {
    tenantId: null,
    secret: randomBytes(32).toString("hex"),
    prefix: `threadfold-doctor-${randomBytes(4).toString("hex")}`,
    ttlSeconds: 5,
    timeoutMs: 1_000,
    onTrouble: ({ kind }) => void troubles.push(kind),
  });
  try {
    const before = performance.now();
    await cache.set("key", "value");
    const value = await cache.get("key");
    const took = (performance.now() - before).toFixed(1);
    if (value === "value") return [checkup("redis", "ok", `answers; a write and a read take ${took} ms`)];
    const hint = "Sessions go on without it, and pay for summaries again.";
    return [checkup("redis", "failed", `does not answer (${troubles[0] ?? "the value is gone"})`, hint)];
  } finally {
    await cache.close();
  }
}
