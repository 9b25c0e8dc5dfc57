import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  asThreadId,
  type Clock,
  canonicalJson,
  type ExpectedVersion,
  type Sensitivity,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { patience, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { archiveThread, unarchiveThread } from "./archive-thread.ts";
import { isArchivable } from "./audit/segment.ts";
import { verifyStore } from "./audit/verify-store.ts";
import { exportThread } from "./inspection/export-thread.ts";
import { dropPlan, entry, lift, metadata, pin, START, START_MS } from "./laws/sample-data.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import { pgliteDriver } from "./postgres/postgres-driver.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { folderIn } from "./testing/furnished.ts";
import { connectForTests, findPostgres, freshPGlite, freshSchema } from "./testing/services.ts";

const service = await findPostgres();
const THREADS = ["a", "b", "c"].map(asThreadId);

/** One operation on a store. Versions are relative to where the store is, so that most operations are legal. */
type Operation =
  | {
      readonly do: "append";
      readonly thread: ThreadId;
      readonly entries: readonly ThreadEntryInput[];
      readonly expect: number | "any" | "no-thread";
      readonly key: string | null;
    }
  | {
      readonly do: "commit";
      readonly thread: ThreadId;
      readonly messages: number;
      readonly ahead: number;
      readonly behind: number;
      readonly author: string;
    }
  | {
      readonly do: "store";
      readonly thread: ThreadId;
      readonly content: string;
      readonly tenant: string | null;
      readonly ttl: number | null;
      readonly sensitivity: Sensitivity;
    }
  | { readonly do: "record"; readonly thread: ThreadId; readonly sequence: number }
  | { readonly do: "read"; readonly thread: ThreadId; readonly at: number }
  | { readonly do: "list"; readonly limit: number }
  | { readonly do: "move"; readonly thread: ThreadId }
  | { readonly do: "wait"; readonly seconds: number };

const thread = fc.constantFrom(...THREADS);
const author = fc.constantFrom("one", "two");
const entries: fc.Arbitrary<ThreadEntryInput> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(30).map((number) => entry(number)) },
  { weight: 1, arbitrary: fc.nat(30).map((number) => entry(number, "another text")) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("p1", "p2"), fc.constantFrom("system" as const, "user" as const))
      .map(([name, who]) => pin(name, who)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("p1", "p2"), fc.constantFrom("system" as const, "user" as const))
      .map(([name, who]) => lift(name, who)),
  },
);
const operations: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      thread,
      entries: fc.array(entries, { maxLength: 5 }),
      expect: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        fc.constantFrom(-1, 1, "any" as const, "no-thread" as const),
      ),
      key: fc.option(fc.constantFrom("k1", "k2"), { freq: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("commit" as const),
      thread,
      messages: fc.nat(4),
      ahead: fc.constantFrom(0, 0, 0, -1, 1),
      behind: fc.constantFrom(0, 0, 1, -1),
      author,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("store" as const),
      thread,
      content: fc.constantFrom("first", "second", "third\0"),
      tenant: fc.constantFrom(null, "tenant"),
      ttl: fc.constantFrom(null, 0, 10, 100),
      sensitivity: fc.constantFrom<Sensitivity>("public", "internal", "confidential", "restricted"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("record" as const), thread, sequence: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("read" as const), thread, at: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("list" as const), limit: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move" as const), thread }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.integer({ min: -5, max: 60 }) }) },
);

/** Does an operation and gives all that can be seen of it, a refusal included, as text. */
async function perform(store: ThreadfoldStore, operation: Operation, time: { now: number }): Promise<string> {
  try {
    // Stores may hand out the keys of an object in any order: what is equal is equal in canonical form.
    return canonicalJson(JSON.parse(JSON.stringify((await outcome(store, operation, time)) ?? null)));
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) return `${error.code} ${error.message}`;
    throw error;
  }
}

async function outcome(store: ThreadfoldStore, operation: Operation, time: { now: number }): Promise<unknown> {
  switch (operation.do) {
    case "append": {
      const current = (await store.threads.load(operation.thread))?.version ?? 0;
      const expectedVersion: ExpectedVersion =
        typeof operation.expect === "number" ? current + operation.expect : operation.expect;
      const key = operation.key === null ? {} : { idempotencyKey: operation.key };
      return store.threads.append(operation.thread, structuredClone(operation.entries), { expectedVersion, ...key });
    }
    case "commit":
      return commit(store, operation);
    case "store": {
      const { thread: threadId, content, tenant: tenantId, ttl: ttlSeconds, sensitivity } = operation;
      const createdAt = new Date(time.now).toISOString();
      return store.artifacts.store(content, metadata({ threadId, tenantId, ttlSeconds, sensitivity, createdAt }));
    }
    case "record":
      return store.journal.append(
        operation.thread,
        { type: "usage-reported", requestSequence: operation.sequence, usage: { inputTokens: 1, outputTokens: 2 } },
        START,
      );
    case "read":
      return read(store, operation);
    case "list": {
      const { items, nextCursor } = await store.threads.list({ limit: operation.limit });
      // What a cursor looks like is each backend's own affair.
      return [items, nextCursor === null];
    }
    case "move":
      if (isArchivable(store)) await moveOutAndBack(store, operation.thread);
      return null;
    case "wait":
      return null;
  }
}

/** How often a thread went out and came back. */
let moves = 0;

/** A thread that was archived and is back is as it was, to every operation that follows. */
async function moveOutAndBack(store: ThreadfoldStore, threadId: ThreadId): Promise<void> {
  const open = async () => folderIn(objects);
  const objects = new Map<string, Uint8Array>();
  try {
    await archiveThread(store, threadId, { to: "/cold", open, stillForMs: 0 });
  } catch (error) {
    // One that is not there, or has artifacts that expire.
    if (ThreadfoldError.isInstance(error) && /^THREAD_(NOT_FOUND|IN_USE)$/.test(error.code)) return;
    throw error;
  }
  expect(objects.size).toBe(1);
  await expect(store.threads.load(threadId)).rejects.toMatchObject({ code: "THREAD_ARCHIVED" });
  await unarchiveThread(store, threadId, { open });
  expect(objects.size).toBe(0);
  moves++;
}

async function commit(
  store: ThreadfoldStore,
  { thread: threadId, messages, ahead, behind, author: by }: Operation & { readonly do: "commit" },
): Promise<unknown> {
  const log = await store.threads.load(threadId);
  const { version } = await store.plans.getCurrentPlan(threadId);
  const threadVersion = Math.max(0, (log?.version ?? 0) - behind);
  const place = { version: version + ahead + 1, threadVersion, threadId, author: by };
  return store.plans.commitPlan(threadId, dropPlan(log?.messagesBetween(0, messages) ?? [], place), version + ahead);
}

async function read(
  store: ThreadfoldStore,
  { thread: threadId, at }: Operation & { readonly do: "read" },
): Promise<unknown> {
  const log = await store.threads.load(threadId, { atVersion: at });
  const artifactIds = await store.artifacts.list(threadId, {
    requesterId: "someone",
    tenantId: "tenant",
    permissions: [],
  });
  const artifact = artifactIds[0] === undefined ? null : await store.artifacts.retrieve(artifactIds[0]);
  const journal = await store.journal.read(threadId, { after: at % 3, limit: 2 });
  return [
    log?.digest,
    log?.version,
    log?.livePins,
    await store.plans.getPlan(threadId, at % 4),
    artifact,
    artifactIds,
    journal,
  ];
}

/** Everything that a store holds in the end. */
const exported = async (store: ThreadfoldStore): Promise<readonly string[]> => {
  const { items } = await store.threads.list();
  return Promise.all(items.map(async ({ threadId }) => exportThread(store, threadId)));
};

/** Gives a backend and the memory store the same operations, and compares all that can be seen of both. */
async function compareWithMemory(
  open: (clock: Clock, run: number) => Promise<ThreadfoldStore>,
  parameters: fc.Parameters<unknown>,
): Promise<void> {
  let run = 0;
  const sequences = fc.array(operations, { minLength: 4, maxLength: 30, size: "max" });
  const property = fc.asyncProperty(sequences, async (sequence) => {
    const time = { now: START_MS };
    const clock = { now: () => time.now };
    const memory = createMemoryStore({ clock });
    const store = await open(clock, run++);
    try {
      for (const operation of sequence) {
        if (operation.do === "wait") time.now += operation.seconds * 1_000;
        expect(await perform(store, operation, time)).toBe(await perform(memory, operation, time));
      }
      expect(await exported(store)).toEqual(await exported(memory));
      expect([await verifyStore(store), await verifyStore(memory)]).toEqual([[], []]);
    } finally {
      await store.close();
    }
  });
  await fc.assert(property, parameters as fc.Parameters<[readonly Operation[]]>);
}

describe("R7 memory and every other backend answer the same operations alike and export the same bytes", () => {
  // Many small files that nobody needs after a crash: memory is a good enough disk for them.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("SQLite (500 sequences)", { timeout: patience(180_000) }, async ({ task }) => {
    Object.assign(task.meta, { figures: { backend: "SQLite", sequences: runs(500).numRuns } });
    moves = 0;
    await compareWithMemory((clock, run) => openSqliteStore(join(folder, `${run}.db`), { clock }), runs(500));
    expect(moves).toBeGreaterThan(100);
  });

  it(`PostgreSQL${service.isThere ? "" : " (in PGlite, for no server answers)"} (500 sequences)`, {
    timeout: patience(180_000),
  }, async ({ task }) => {
    Object.assign(task.meta, {
      figures: { backend: service.isThere ? "PostgreSQL" : "PGlite", sequences: runs(500).numRuns },
    });
    moves = 0;
    const database = service.isThere ? undefined : await freshPGlite();
    const driver = database === undefined ? connectForTests(service.url) : pgliteDriver(database);
    const { schema, drop } = freshSchema(driver);
    try {
      await compareWithMemory(
        (clock, run) => openPostgresStore(driver, { clock, schema, tenantId: `tenant ${run}` }),
        runs(500),
      );
      expect(moves).toBeGreaterThan(100);
    } finally {
      await drop();
      await driver.close();
      await database?.close();
    }
  });
});
