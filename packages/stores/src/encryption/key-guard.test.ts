import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { asThreadId, canonicalJson, type KeyStore, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { eraseSubject } from "../erasure/erase-subject.ts";
import { openFileArtifacts } from "../filesystem/file-artifacts.ts";
import { dropPlan, entry, metadata, OTHER_THREAD, START, THREAD, transcript } from "../laws/sample-data.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { storeWithArtifacts } from "../open-store.ts";
import { pgliteDriver } from "../postgres/postgres-driver.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import { openS3Artifacts } from "../s3/s3-artifacts.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { freshPGlite, type S3Server, startS3Server } from "../testing/services.ts";
import { encryptedStore } from "./encrypted-store.ts";
import type { EncryptionOptions } from "./sealer.ts";
import { fileKeyStore, memoryKeyStore } from "./subject-keys.ts";

const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let names = 0;
const freshPath = (): string => join(root, String(++names));

let database: PGlite | undefined;
let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
  process.env["AWS_ACCESS_KEY_ID"] ??= "key";
  process.env["AWS_SECRET_ACCESS_KEY"] ??= "secret";
});
afterAll(async () => {
  await database?.close();
  await server.close();
});

const backends: readonly (readonly [string, () => Promise<ThreadfoldStore>])[] = [
  ["memory", async () => createMemoryStore()],
  ["SQLite", () => openSqliteStore(`${freshPath()}.db`)],
  [
    "PostgreSQL",
    async () => {
      database ??= await freshPGlite();
      return openPostgresStore(pgliteDriver(database), { tenantId: `tenant ${++names}` });
    },
  ],
  ["a folder", async () => storeWithArtifacts(createMemoryStore(), await openFileArtifacts(freshPath(), {}))],
  [
    "S3",
    async () => {
      const address = `s3://bucket/${++names}?region=eu-west-1&endpoint=${server.endpoint}`;
      return storeWithArtifacts(createMemoryStore(), await openS3Artifacts(address));
    },
  ],
];

/** A store with a thread of one plan, and the folder of its keys. */
async function written(inner: ThreadfoldStore, options: EncryptionOptions = {}) {
  const folder = freshPath();
  const open = (keys = fileKeyStore(folder)): ThreadfoldStore => encryptedStore(inner, keys, options);
  const store = open();
  await store.threads.append(THREAD, transcript(8), { expectedVersion: "no-thread" });
  await store.artifacts.store("content", metadata());
  const thread = await store.threads.load(THREAD);
  const messages = thread?.messagesBetween(0, 4) ?? [];
  await store.plans.commitPlan(THREAD, dropPlan(messages, { version: 1, threadVersion: 8 }), 0);
  return { folder, open, store, messages, inner };
}

const away = (folder: string): (() => void) => {
  renameSync(folder, `${folder} away`);
  return () => {
    rmSync(folder, { recursive: true, force: true });
    renameSync(`${folder} away`, folder);
  };
};

const WHY = { actor: "test", reason: "test", at: START } as const;

/** Everything that writes something sealed. */
const writes = (store: ThreadfoldStore, messages: Parameters<typeof dropPlan>[0], threadId = THREAD) => ({
  append: () => store.threads.append(threadId, [entry(20)], { expectedVersion: "any" }),
  appendAtVersion: () => store.threads.append(threadId, [entry(20)], { expectedVersion: 8 }),
  commit: () => store.plans.commitPlan(threadId, dropPlan(messages, { version: 2, threadVersion: 8 }), 1),
  artifact: () => store.artifacts.store("more content", metadata({ threadId })),
  journal: () =>
    store.journal.append(threadId, { type: "entries-appended", threadVersion: 8, threadDigest: "0".repeat(64) }, START),
  erase: () => eraseSubject(store, threadId, WHY),
});

describe.each(backends)("the keys of a sealed thread in %s", (_name, open) => {
  it("cause every write to be refused while they are missing, and everything acknowledged is there once they are back", async () => {
    const { folder, open: openAgain, store, messages, inner } = await written(await open());
    const restore = away(folder);
    for (const [who, live] of Object.entries({ "the one that was open": store, "one opened since": openAgain() }))
      for (const [what, write] of Object.entries(writes(live, messages)))
        await expect(write(), `${what} by ${who}`).rejects.toMatchObject({
          code: "KEY_MISSING",
          details: { subject: canonicalJson([null, THREAD]), threadId: THREAD },
          hint: expect.stringContaining("Mount or restore"),
        });
    // Nothing was made where the folder was: neither keys nor marks of an erasure.
    expect(existsSync(folder)).toBe(false);
    restore();
    expect((await inner.threads.load(THREAD))?.version).toBe(8);
    expect(await inner.artifacts.list(THREAD)).toHaveLength(1);
    await store.threads.append(THREAD, [entry(8)], { expectedVersion: 8 });
    expect((await openAgain().threads.load(THREAD))?.length).toBe(9);
    expect((await openAgain().plans.getCurrentPlan(THREAD)).version).toBe(1);
    await inner.close();
  });

  it("are the only ones that can write: other keys are refused, even for new threads", async () => {
    const { open: openAgain, messages, inner } = await written(await open());
    const foreign = memoryKeyStore();
    await foreign.getOrCreate(canonicalJson([null, THREAD]));
    const other = openAgain(foreign);
    for (const [what, write] of Object.entries(writes(other, messages)))
      await expect(write(), what).rejects.toMatchObject({ code: "KEY_MISMATCH" });
    await expect(
      other.threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: "no-thread" }),
    ).rejects.toMatchObject({ code: "KEY_MISMATCH" });
    expect(await foreign.get(canonicalJson([null, OTHER_THREAD]))).toBeNull();
    expect(await foreign.isShredded(canonicalJson([null, THREAD]))).toBe(false);
    expect((await openAgain().threads.load(THREAD))?.version).toBe(8);
    await inner.close();
  });

  it("are required for every other thread even if they sealed only one artifact", async () => {
    const inner = await open();
    const folder = freshPath();
    await inner.threads.append(asThreadId("clear"), [entry(0)], { expectedVersion: 0 });
    for (const threadId of ["clear", "also clear", "clear as well", "clear too"].map(asThreadId))
      await inner.artifacts.store("in the clear", metadata({ threadId }));
    const store = encryptedStore(inner, fileKeyStore(folder));
    await store.artifacts.store("content", metadata());
    const restore = away(folder);
    const again = encryptedStore(inner, fileKeyStore(folder));
    for (const [what, write] of Object.entries({
      append: () => again.threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 0 }),
      "append to what is clear": () => again.threads.append(asThreadId("clear"), [entry(1)], { expectedVersion: 1 }),
      artifact: () => again.artifacts.store("other content", metadata({ threadId: OTHER_THREAD })),
    }))
      await expect(write(), what).rejects.toMatchObject({
        code: "KEY_MISMATCH",
        hint: expect.stringMatching(/Mount or restore .* isShared/s),
      });
    await expect(again.artifacts.store("more", metadata())).rejects.toMatchObject({ code: "KEY_MISSING" });
    expect(existsSync(folder)).toBe(false);
    restore();
    await again.threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 0 });
    const [kept] = await again.artifacts.list(THREAD);
    expect(kept && (await again.artifacts.retrieve(kept))?.content).toBe("content");
    await inner.close();
  });
});

describe("the key of a thread that was erased without it", () => {
  const eraseWithoutKeys = async (inner: ThreadfoldStore, threadId = THREAD) => {
    const { proofSequence } = (await eraseSubject(inner, threadId, WHY)).threads[0] as { proofSequence: number };
    return proofSequence;
  };
  const rendered = {
    type: "request-rendered",
    ...{ threadVersion: 8, planVersion: 0, renderVersion: "1", format: "f", tokenizer: "t", options: {} },
    ...{ frame: "artifact_000000000000000000000000" as never, rehydrated: [], tokens: 1 },
    payloadDigest: "0".repeat(64),
  } as const;
  const appended = { type: "entries-appended", threadVersion: 8, threadDigest: "0".repeat(64) } as const;

  it.each([
    ["memory", async () => createMemoryStore()],
    ["SQLite", () => openSqliteStore(`${freshPath()}.db`)],
    [
      "PostgreSQL",
      async () => {
        database ??= await freshPGlite();
        return openPostgresStore(pgliteDriver(database), { tenantId: `tenant ${++names}` });
      },
    ],
  ])("is destroyed by a second erasure, which proves it, in %s", async (_backend, openInner) => {
    for (const records of [[], [appended], [appended, rendered]]) {
      const { folder, open, inner } = await written(await openInner());
      const [frame = rendered.frame] = await inner.artifacts.list(THREAD);
      for (const record of records)
        await open().journal.append(THREAD, record === rendered ? { ...rendered, frame } : record, START);
      const first = await eraseWithoutKeys(inner);
      const report = await eraseSubject(open(), THREAD, WHY);
      expect(report).toMatchObject({ keyShredded: true, threads: [{ proofSequence: first + 1 }] });
      expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".key"))).toEqual([]);
      expect((await eraseSubject(open(), THREAD, WHY)).threads).toMatchObject([{ proofSequence: first + 1 }]);
      expect(await verifyStore(open())).toEqual([]);
      await inner.close();
    }
  });

  it("is not taken for destroyed by a key store that lacks it or holds a different one", async () => {
    for (const [records, code] of [
      [[appended], "KEY_MISSING"],
      [[appended, rendered], "KEY_MISSING"],
    ] as const) {
      const { open, inner } = await written(createMemoryStore());
      for (const record of records) await open().journal.append(THREAD, record, START);
      await eraseWithoutKeys(inner);
      const none = memoryKeyStore();
      await expect(eraseSubject(open(none), THREAD, WHY)).rejects.toMatchObject({ code });
      expect(await none.isShredded(canonicalJson([null, THREAD]))).toBe(false);
    }
    const { open, inner } = await written(createMemoryStore());
    await open().threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 0 });
    await open().journal.append(THREAD, rendered, START);
    await eraseWithoutKeys(inner);
    const foreign = memoryKeyStore();
    await foreign.getOrCreate(canonicalJson([null, THREAD]));
    await expect(eraseSubject(open(foreign), THREAD, WHY)).rejects.toMatchObject({ code: "KEY_MISMATCH" });
    expect(await foreign.isShredded(canonicalJson([null, THREAD]))).toBe(false);
  });

  it("is not taken for destroyed by keys that open no other thread, when there is no journal", async () => {
    const { open, inner } = await written(createMemoryStore());
    await open().threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 0 });
    await eraseWithoutKeys(inner);
    const foreign = memoryKeyStore();
    await foreign.getOrCreate(canonicalJson([null, THREAD]));
    for (const keys of [foreign, memoryKeyStore()])
      await expect(eraseSubject(open(keys), THREAD, WHY)).rejects.toMatchObject({ code: "KEY_MISMATCH" });
    expect((await eraseSubject(open(), THREAD, WHY)).keyShredded).toBe(true);
  });

  it("is required for a new thread of its subject", async () => {
    const { open, inner } = await written(createMemoryStore(), { subjectOf: () => "ada" });
    await open().journal.append(THREAD, appended, START);
    await eraseWithoutKeys(inner);
    const begin = (keys?: KeyStore) => open(keys).threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 0 });
    await expect(begin(memoryKeyStore())).rejects.toMatchObject({ code: "KEY_MISSING" });
    await begin();
  });
});

describe("a key is made", () => {
  it("for a new thread only once a missing key folder is back", async () => {
    const { folder, store, inner } = await written(createMemoryStore());
    const restore = away(folder);
    const begin = () => store.threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: "no-thread" });
    await expect(begin()).rejects.toMatchObject({ code: "KEY_MISMATCH", hint: expect.stringContaining("isShared") });
    expect(existsSync(folder)).toBe(false);
    expect(await inner.threads.load(OTHER_THREAD)).toBeNull();
    restore();
    await begin();
    expect((await store.threads.load(OTHER_THREAD))?.version).toBe(1);
  });

  it("for no subject that has another thread whose key was lost", async () => {
    const subjectOf = (threadId: ThreadId): string => (threadId === "thread-c" ? "bob" : "ada");
    const { folder, open } = await written(createMemoryStore(), { subjectOf });
    const [adas] = readdirSync(folder) as [string];
    await open().threads.append(asThreadId("thread-c"), [entry(0)], { expectedVersion: 0 });
    renameSync(join(folder, adas), freshPath());
    const append = () => open().threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 0 });
    await expect(append()).rejects.toMatchObject({ code: "KEY_MISSING", details: { threadId: OTHER_THREAD } });
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("for no thread that already has a sealed artifact or a recorded request", async () => {
    for (const write of [
      (store: ThreadfoldStore) => store.artifacts.store("frame", metadata()),
      (store: ThreadfoldStore) =>
        store.journal.append(
          THREAD,
          {
            type: "request-rendered",
            ...{ threadVersion: 0, planVersion: 0, renderVersion: "1", format: "f", tokenizer: "t", options: {} },
            ...{ frame: "artifact_000000000000000000000000" as never, rehydrated: [], tokens: 1 },
            payloadDigest: "0".repeat(64),
          },
          START,
        ),
    ]) {
      const inner = createMemoryStore();
      await write(encryptedStore(inner, memoryKeyStore()));
      const append = encryptedStore(inner, memoryKeyStore()).threads.append(THREAD, [entry(0)], { expectedVersion: 0 });
      await expect(append).rejects.toMatchObject({ code: "KEY_MISSING" });
    }
  });

  it("for each tenant of a shared store when isShared is set", async () => {
    const inner = createMemoryStore();
    const open = (tenantId: string) => encryptedStore(inner, memoryKeyStore(), { tenantId, isShared: true });
    const [a, b] = [open("a"), open("b")];
    await a.threads.append(THREAD, [entry(0)], { expectedVersion: 0 });
    await b.threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 0 });
    expect((await b.threads.load(OTHER_THREAD))?.version).toBe(1);
    // What is somebody else's stays so.
    await expect(b.threads.append(THREAD, [entry(1)], { expectedVersion: "any" })).rejects.toMatchObject({
      code: "KEY_MISSING",
    });
  });

  it("for a new thread in a store that was kept in the clear before", async () => {
    const inner = createMemoryStore();
    await inner.threads.append(THREAD, transcript(2), { expectedVersion: 0 });
    const store = encryptedStore(inner, memoryKeyStore());
    await store.threads.append(OTHER_THREAD, transcript(2), { expectedVersion: "any" });
    expect((await store.threads.load(OTHER_THREAD))?.version).toBe(2);
  });

  it("for no new thread while the keys are missing, even if most threads are in the clear", async () => {
    const CLEAR = 120;
    const laterOn: Record<string, (store: ThreadfoldStore) => Promise<unknown>> = {
      "a thread of its own": (store) => store.threads.append(THREAD, [entry(0)], { expectedVersion: 0 }),
      "one that began in the clear": (store) =>
        store.threads.append(asThreadId("clear-7"), [entry(1)], { expectedVersion: 1 }),
      "an artifact": (store) => store.artifacts.store("frame", metadata()),
    };
    for (const [what, seal] of Object.entries(laterOn)) {
      const inner = await openSqliteStore(`${freshPath()}.db`);
      for (let index = 0; index < CLEAR; index++)
        await inner.threads.append(asThreadId(`clear-${index}`), [entry(0)], { expectedVersion: 0 });
      const keys = memoryKeyStore();
      await seal(encryptedStore(inner, keys));
      const begin = (held: KeyStore) =>
        encryptedStore(inner, held).threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 0 });
      await expect(begin(memoryKeyStore()), what).rejects.toMatchObject({ code: "KEY_MISMATCH" });
      await begin(keys);
      await inner.close();
    }
  });

  it("by only one of two stores that begin a thread at once with different keys", async () => {
    const inner = createMemoryStore();
    const stores = [memoryKeyStore(), memoryKeyStore()].map((keys) => encryptedStore(inner, keys));
    const appends = stores.map((store) => store.threads.append(THREAD, transcript(2), { expectedVersion: "any" }));
    const settled = await Promise.allSettled(appends);
    expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [won, lost] = settled[0]?.status === "fulfilled" ? [0, 1] : [1, 0];
    expect((settled[lost] as PromiseRejectedResult).reason).toMatchObject({ code: "KEY_MISMATCH" });
    expect((await stores[won]?.threads.load(THREAD))?.version).toBe(2);
  });
});

describe("a key store that never answers", () => {
  it("makes every call fail with TIMED_OUT after keyTimeLimitMs, and nothing is written", async () => {
    const { inner } = await written(createMemoryStore());
    const never = (): Promise<never> => new Promise(() => undefined);
    const keys = { get: never, getOrCreate: never, rotate: never, shred: never, isShredded: never };
    const store = encryptedStore(inner, keys, { keyTimeLimitMs: 20 });
    for (const call of [...Object.values(writes(store, [])), () => store.threads.load(THREAD)])
      await expect(call()).rejects.toMatchObject({
        code: "TIMED_OUT",
        details: { waitedFor: "the key store", milliseconds: 20, option: "keyTimeLimitMs" },
      });
    expect((await inner.threads.load(THREAD))?.version).toBe(8);
    expect(() => encryptedStore(inner, keys, { keyTimeLimitMs: 0 })).toThrow(/keyTimeLimitMs/);
  });
});

describe("a rotated key", () => {
  const subject = canonicalJson([null, THREAD]);

  it("seals new entries even in stores already open, and entries of every version still open", async () => {
    const { folder, store, open } = await written(createMemoryStore());
    await fileKeyStore(folder).rotate(subject);
    await store.threads.append(THREAD, [entry(8)], { expectedVersion: 8 });
    await open().threads.append(THREAD, [entry(9)], { expectedVersion: "any" });
    expect((await open().threads.load(THREAD))?.length).toBe(10);
  });

  it("is required: an older copy of the keys, or one rotated differently, writes nothing", async () => {
    const { folder, store, open } = await written(createMemoryStore());
    const copy = memoryKeyStore();
    const { bytes } = await fileKeyStore(folder).getOrCreate(subject);
    await fileKeyStore(folder).rotate(subject);
    await store.threads.append(THREAD, [entry(8)], { expectedVersion: 8 });
    const stale = {
      ...keysOf(copy),
      get: async (_: string, version = 1) => (version === 1 ? { version, bytes } : null),
    };
    const append = () => open(stale).threads.append(THREAD, [entry(9)], { expectedVersion: "any" });
    await expect(append()).rejects.toMatchObject({ code: "KEY_MISMATCH" });
    const turned = await copy.getOrCreate(subject).then(() => copy.rotate(subject));
    const other = {
      ...keysOf(copy),
      get: async (_: string, version = 2) => (version === 1 ? { version, bytes } : turned),
    };
    await expect(open(other).threads.append(THREAD, [entry(9)], { expectedVersion: "any" })).rejects.toMatchObject({
      code: "KEY_MISMATCH",
    });
    expect((await store.threads.load(THREAD))?.length).toBe(9);
  });
});

const keysOf = (keys: ReturnType<typeof memoryKeyStore>) => ({
  get: keys.get.bind(keys),
  getOrCreate: keys.getOrCreate.bind(keys),
  rotate: keys.rotate.bind(keys),
  shred: keys.shred.bind(keys),
  isShredded: keys.isShredded.bind(keys),
});

describe("the key of an erased subject", () => {
  it("is not created again while the key folder is missing or once it is back", async () => {
    const { folder, store, open } = await written(createMemoryStore());
    await eraseSubject(store, THREAD, WHY);
    const append = (live: ThreadfoldStore) => live.threads.append(THREAD, [entry(8)], { expectedVersion: "any" });
    const restore = away(folder);
    for (const live of [store, open()]) await expect(append(live)).rejects.toMatchObject({ code: "KEY_MISSING" });
    const begin = () => open().threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: 0 });
    await expect(begin()).rejects.toMatchObject({ code: "KEY_MISMATCH" });
    restore();
    for (const live of [store, open()]) await expect(append(live)).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    await begin();
    expect((await open().threads.load(OTHER_THREAD))?.version).toBe(1);
  });
});
