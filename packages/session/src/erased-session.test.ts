import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentThread, asThreadId, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import {
  createMemoryStore,
  type ErasureReport,
  encryptedStore,
  eraseSubject,
  memoryKeyStore,
  verifyStore,
} from "@threadfold/stores";
import { openSqliteStore } from "@threadfold/stores/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { openSession, threadId } from "./testing/agent-work.ts";
import { forkThread } from "./thread/fork-thread.ts";

const folder = mkdtempSync(join(tmpdir(), "threadfold-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const why = { actor: "test", reason: "user-request", at: "2026-01-01T00:00:00.000Z" } as const;
const stores: readonly (readonly [string, () => Promise<ThreadfoldStore>])[] = [
  ["memory", async () => createMemoryStore()],
  ["SQLite", () => openSqliteStore(join(folder, `${files++}.db`))],
  ["encrypted memory", async () => encryptedStore(createMemoryStore(), memoryKeyStore())],
];

describe.each(stores)("R23 a session whose thread is erased while it is open, in %s", (_name, open) => {
  it.each([true, false])("hands out no request (journal: %s)", async (journal) => {
    const store = await open();
    const session = await openSession({ store, journal });
    await session.append([message("u0", "user", "My passport is Zanzibar.")]);
    expect((await session.prepare()).payloadText).toContain("Zanzibar");
    await eraseSubject(store, threadId, why);
    await expect(session.prepare()).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    await expect(session.render()).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    await session.close();
  });

  it("refuses a handoff without asking the summarizer", async () => {
    const store = await open();
    const session = await openSession({ store });
    await session.append([message("u0", "user", "My passport is Zanzibar.")]);
    await eraseSubject(store, threadId, why);
    let asked = false;
    const summarizer = {
      id: "curious@1",
      summarize: async () => {
        asked = true;
        return { changes: [] };
      },
    };
    const fresh = asThreadId("fresh");
    const handedOn = session.handoff({ goal: "Go on", threadId: fresh, summarizer });
    await expect(handedOn).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    expect(asked).toBe(false);
    expect(await store.threads.load(fresh)).toBeNull();
    await session.close();
  });

  it("refuses a handoff when the thread is erased while the summarizer reads", async () => {
    const store = await open();
    const session = await openSession({ store });
    await session.append([message("u0", "user", "My passport is Zanzibar.")]);
    const summarizer = {
      id: "slow@1",
      summarize: async () => {
        await eraseSubject(store, threadId, why);
        return { changes: [] };
      },
    };
    const fresh = asThreadId("fresh");
    const handedOn = session.handoff({ goal: "Go on", threadId: fresh, summarizer });
    await expect(handedOn).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    expect(await store.threads.load(fresh)).toBeNull();
    await session.close();
  });
});

describe.each(stores)("R23 copies of a thread, in %s", (_name, open) => {
  const [fork, forkOfFork, handedOff] = ["fork", "fork-of-fork", "handed-off"].map(asThreadId) as [
    ThreadId,
    ThreadId,
    ThreadId,
  ];

  async function copied(): Promise<ThreadfoldStore> {
    const store = await open();
    const session = await openSession({ store });
    await session.append([message("u0", "user", "My passport is Zanzibar.")]);
    await session.fork({ threadId: fork });
    await forkThread(store, fork, { threadId: forkOfFork });
    await session.handoff({ goal: "Renew the passport", threadId: handedOff });
    await store.threads.append(asThreadId("other"), [...(await loaded(store, fork)).entriesBetween(0)], {
      expectedVersion: "no-thread",
    });
    return store;
  }
  const loaded = async (store: ThreadfoldStore, id: ThreadId): Promise<AgentThread> => {
    const thread = await store.threads.load(id);
    if (thread === null) throw new Error(`${id} is not there`);
    return thread;
  };

  it("are erased with the thread, copies of copies too, and no other thread is", async () => {
    const store = await copied();
    const { threads, copiesLeft } = await eraseSubject(store, threadId, why);
    expect(threads.map((thread) => [thread.threadId, thread.copyOf])).toEqual([
      [threadId, null],
      [fork, threadId],
      [handedOff, threadId],
      [forkOfFork, fork],
    ]);
    expect(copiesLeft).toEqual([]);
    for (const { threadId: gone } of threads)
      await expect(store.threads.load(gone)).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    expect((await loaded(store, asThreadId("other"))).length).toBe(1);
    expect(await verifyStore(store)).toEqual([]);
  });

  it("are kept and listed when the erasure has keepCopies", async () => {
    const store = await copied();
    const { threads, copiesLeft } = await eraseSubject(store, threadId, { ...why, keepCopies: true });
    expect([threads.length, copiesLeft]).toEqual([1, [fork, handedOff, forkOfFork]]);
    for (const copy of copiesLeft) expect((await loaded(store, copy)).length).toBeGreaterThan(0);
  });

  it("are found by a dry run, and by a new erasure after one that kept them", async () => {
    const store = await copied();
    const dry = await eraseSubject(store, threadId, { ...why, dryRun: true });
    await eraseSubject(store, threadId, { ...why, keepCopies: true });
    const again = await eraseSubject(store, threadId, why);
    const ids = ({ threads }: ErasureReport) => threads.map((thread) => thread.threadId);
    expect([ids(dry), ids(again)]).toEqual(Array(2).fill([threadId, fork, handedOff, forkOfFork]));
    expect(again.threads.map(({ wasErased }) => wasErased)).toEqual([true, false, false, false]);
  });

  it("do not include another thread whose id a fork failed to take", async () => {
    const store = await open();
    const session = await openSession({ store });
    await session.append([message("u0", "user", "My passport is Zanzibar.")]);
    await store.threads.append(asThreadId("taken"), [...session.thread.entriesBetween(0)], {
      expectedVersion: "no-thread",
    });
    await expect(session.fork({ threadId: asThreadId("taken") })).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
    const { threads, copiesLeft } = await eraseSubject(store, threadId, why);
    expect([threads.length, copiesLeft.length]).toEqual([1, 0]);
  });
});

describe("R23 a copy sealed by a key that seals other work too", () => {
  it("is left in place and listed", async () => {
    const subjectOf = (id: ThreadId) => (id === threadId ? "ada" : "ben");
    const store = encryptedStore(createMemoryStore(), memoryKeyStore(), { subjectOf });
    const session = await openSession({ store });
    await session.append([message("u0", "user", "My passport is Zanzibar.")]);
    await store.threads.append(asThreadId("bens-own"), [...session.thread.entriesBetween(0)], {
      expectedVersion: "no-thread",
    });
    await session.fork({ threadId: asThreadId("bens-fork") });
    const { threads, copiesLeft } = await eraseSubject(store, "ada", why);
    expect([threads.map((thread) => thread.threadId), copiesLeft]).toEqual([[threadId], ["bens-fork"]]);
    expect(await store.threads.load(asThreadId("bens-own"))).not.toBeNull();
  });
});
