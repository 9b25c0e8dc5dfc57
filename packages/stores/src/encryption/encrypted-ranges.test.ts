import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  asMessageId,
  type CompactionPlan,
  canonicalJson,
  outlinedSpan,
  outlineOf,
  type SpanOutline,
  type SpanReference,
  sealPlan,
  type ThreadfoldStore,
} from "@threadfold/core";
import { afterAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { dropPlan, entry, pin, THREAD, transcript } from "../laws/sample-data.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { encryptedStore } from "./encrypted-store.ts";
import { Sealer } from "./sealer.ts";
import { memoryKeyStore } from "./subject-keys.ts";

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const SHOWN = 6;

/** A sealed thread of which a plan hides all but the first and the newest messages, and the store within. */
async function folded(count: number, keys = memoryKeyStore()) {
  const inner = await openSqliteStore(join(folder, `${files++}.db`));
  const store = encryptedStore(inner, keys);
  await store.threads.append(THREAD, transcript(count), { expectedVersion: 0 });
  const thread = await store.threads.load(THREAD);
  const hidden = thread?.messagesBetween(1, count - SHOWN) ?? [];
  const plan = dropPlan(hidden, { version: 1, threadVersion: count });
  await store.plans.commitPlan(THREAD, plan, 0);
  return { inner, store, keys, plan, digest: thread?.digest };
}

describe("a sealed thread that is resumed", () => {
  it("P9 opens only what its plan shows and keeps no list of hidden ids, for 400 or 4 000 messages", async () => {
    const sizes = await Promise.all(
      [400, 4_000].map(async (count) => {
        const { inner, store, plan, digest } = await folded(count);
        await store.threads.append(THREAD, [entry(count), pin("late")], { expectedVersion: count });
        const found = await store.ranges?.resume(THREAD);
        expect(found?.plan.planId).toBe(plan.planId);
        expect(found?.thread.isWhole).toBe(false);
        expect(found?.thread.atVersion(count).digest).toBe(digest);
        expect(found?.thread.digest).toBe((await store.threads.load(THREAD))?.digest);
        expect(await verifyStore(store)).toEqual([]);
        const envelope = (await inner.ranges?.resume(THREAD))?.plan.drops[0]?.reason ?? "";
        await store.close();
        return { entries: [...(found?.thread.entriesInMemory() ?? [])].length, envelope: envelope.length };
      }),
    );
    // The ids of 4 000 messages take 30 000 characters; their number takes one more than that of 400.
    expect(sizes.map(({ entries }) => entries)).toEqual([2 + SHOWN + 2, 2 + SHOWN + 2]);
    expect((sizes[1]?.envelope ?? 0) - (sizes[0]?.envelope ?? 0)).toBeLessThan(10);
    expect(sizes[0]?.envelope).toBeGreaterThan(0);
  });

  it("P9 accepts further commits without loading its whole history again", async () => {
    const { inner, keys } = await folded(200);
    const loads: string[] = [];
    const threads: ThreadfoldStore["threads"] = {
      append: (...given) => inner.threads.append(...given),
      list: (options) => inner.threads.list(options),
      load: (...given) => {
        loads.push(String(given[0]));
        return inner.threads.load(...given);
      },
    };
    const store = encryptedStore({ ...inner, threads }, keys);
    for (let version = 2; version <= 4; version++) {
      const count = 200 + version;
      await store.threads.append(THREAD, [entry(count)], { expectedVersion: "any" });
      const current = (await store.plans.getCurrentPlan(THREAD)).plan as CompactionPlan;
      const next = sealPlan({ ...current, version, threadVersion: current.threadVersion + 1 });
      expect((await store.plans.commitPlan(THREAD, next, version - 1)).status).toBe("committed");
    }
    expect(loads).toEqual([]);
    const found = await store.ranges?.resume(THREAD);
    expect(found?.thread.digest).toBe((await encryptedStore(inner, keys).threads.load(THREAD))?.digest);
    await store.close();
  });

  it("P10 R25 fails with UNSEAL_FAILED when the hidden range was altered and its hashes recomputed", async () => {
    const { inner, keys } = await folded(100);
    const resume = async (change: (outline: SpanOutline) => Partial<SpanOutline>): Promise<unknown> => {
      const sealed = await inner.ranges?.resume(THREAD);
      const drop = sealed?.plan.drops[0];
      const outline = drop && outlineOf(drop.span);
      if (sealed === undefined || sealed === null || drop === undefined || outline === undefined)
        throw new Error("the span is in the store");
      const span = outlinedSpan(drop.span, { ...outline, ...change(outline) });
      const ranges = {
        ...inner.ranges,
        resume: async () => ({ thread: sealed.thread, plan: { ...sealed.plan, drops: [{ ...drop, span }] } }),
      } as unknown as NonNullable<ThreadfoldStore["ranges"]>;
      return encryptedStore({ ...inner, ranges }, keys).ranges?.resume(THREAD);
    };
    expect(await resume(() => ({}))).not.toBeNull();
    for (const change of [
      () => ({ last: asMessageId("m97") }),
      () => ({ count: 94 }),
      ({ runs: [run] }: SpanOutline) => ({ runs: [{ ...run, toOrdinal: 97 }] as SpanOutline["runs"] }),
    ])
      await expect(resume(change)).rejects.toMatchObject({ code: "UNSEAL_FAILED" });
    const plans = {
      ...inner.plans,
      getCurrentPlan: async () => {
        const { plan, version } = await inner.plans.getCurrentPlan(THREAD);
        const [drop] = plan?.drops ?? [];
        const span: SpanReference = { ...drop?.span, messageIds: drop?.span.messageIds.slice(0, -1) } as never;
        return { version, plan: sealPlan({ ...plan, drops: [{ ...drop, span }] } as never) };
      },
    } as unknown as ThreadfoldStore["plans"];
    await expect(encryptedStore({ ...inner, plans }, keys).plans.getCurrentPlan(THREAD)).rejects.toMatchObject({
      code: "UNSEAL_FAILED",
    });
    await inner.close();
  });

  it("R33 still reads plans sealed with every message id, but is loaded whole until the next commit", async () => {
    const { store, inner, keys, plan } = await folded(40);
    const [drop] = plan.drops;
    if (drop === undefined) throw new Error("something is dropped");
    const subject = canonicalJson([null, THREAD]);
    const sealer = new Sealer({ keys, subject, tenantId: null, threadId: THREAD }, await keys.get(subject));
    const former = sealPlan({ ...plan, version: 2 });
    const reason = sealer.seal("plan", `2 drop ${drop.span.messageIds[0]}`, canonicalJson(former.drops[0]));
    await inner.plans.commitPlan(THREAD, sealPlan({ ...former, drops: [{ ...drop, reason, keywords: [] }] }), 1);
    expect((await store.plans.getCurrentPlan(THREAD)).plan).toEqual(former);
    await expect(store.ranges?.resume(THREAD)).resolves.toBeNull();
    const next = sealPlan({ ...former, version: 3 });
    expect((await store.plans.commitPlan(THREAD, next, 2)).status).toBe("committed");
    expect((await store.ranges?.resume(THREAD))?.plan.planId).toBe(next.planId);
    await store.close();
  });

  it("cannot be resumed in part when the inner store cannot read ranges", async () => {
    const { ranges: _ranges, ...inner } = createMemoryStore();
    const store = encryptedStore(inner, memoryKeyStore());
    expect(store.ranges).toBeUndefined();
    await store.threads.append(THREAD, transcript(2), { expectedVersion: 0 });
    await store.plans.commitPlan(THREAD, dropPlan([], { version: 1, threadVersion: 2 }), 0);
    expect((await store.plans.getCurrentPlan(THREAD)).version).toBe(1);
  });
});
