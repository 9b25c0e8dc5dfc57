import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { PGlite } from "@electric-sql/pglite";
import {
  AgentThread,
  asArtifactId,
  type Clock,
  canonicalJson,
  groupRecords,
  type JournalRecord,
  type MessageId,
  sealPlan,
  type ThreadId,
} from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { exportAudit } from "../audit/audit-file.ts";
import { makeCheckpoint } from "../audit/checkpoint.ts";
import { verifyAudit } from "../audit/verify-audit.ts";
import { verifySince, verifyStore } from "../audit/verify-store.ts";
import { encryptedStore, sealedSummaryCache } from "../encryption/encrypted-store.ts";
import { fileKeyStore, memoryKeyStore } from "../encryption/subject-keys.ts";
import { entry, metadata, START, START_MS, THREAD, transcript } from "../laws/sample-data.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { openStore } from "../open-store.ts";
import { pgliteDriver } from "../postgres/postgres-driver.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { CANARIES, canary, plant, threadOf } from "../testing/canaries.ts";
import { freshPGlite } from "../testing/services.ts";
import { type ErasableStore, eraseSubject, sweepExpired } from "./erase-subject.ts";

const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const freshFolder = (): string => mkdtempSync(join(root, `${++folders}-`));

const WHY = { actor: "operator-1", reason: "user-request", at: START } as const;
const SUBJECTS = runs(20, 200).numRuns;
const requestRecord: JournalRecord = {
  type: "request-rendered",
  ...{ threadVersion: 1, planVersion: 0, renderVersion: "1", format: "anthropic-messages", tokenizer: "test" },
  ...{ options: {}, frame: asArtifactId("frame"), rehydrated: [], payloadDigest: "0".repeat(64), tokens: 1 },
};

/** How many canaries of each subject lie in the files of a folder, in any spelling of their letters. */
function hitsIn(folder: string): (subject: number) => number {
  const files = (readdirSync(folder, { recursive: true }) as string[]).map((name) => join(folder, name));
  const bytes = Buffer.concat(files.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path)));
  const found = new Set(
    bytes
      .toString("latin1")
      .toLowerCase()
      .match(/canary[0-9]+x[0-9]+zq/g),
  );
  return (subject) =>
    Array.from({ length: CANARIES }, (_, number) => canary(subject, number)).filter((word) => found.has(word)).length;
}
const hits = (folder: string, subject: number): number => hitsIn(folder)(subject);

describe("R23 an erasure", () => {
  it(`reaches every byte of a SQLite file: ${SUBJECTS} subjects with ${CANARIES} canaries each`, async () => {
    const folder = freshFolder();
    const path = join(folder, "store.db");
    const store = await openSqliteStore(path);
    for (let subject = 0; subject < SUBJECTS; subject++) await plant(store, subject);
    const checkpoint = await makeCheckpoint(store, threadOf(0), { at: START });
    const before = hitsIn(folder);
    for (let subject = 0; subject < SUBJECTS; subject++) expect(before(subject)).toBe(CANARIES - 5);
    for (let subject = 0; subject < SUBJECTS - 1; subject++) {
      const report = await eraseSubject(store, threadOf(subject), WHY);
      const [thread] = report.threads;
      expect(thread).toMatchObject({ entries: 70, plans: 5, artifacts: 15, wasErased: false });
      expect(hits(folder, subject), `subject ${subject}`).toBe(0);
    }
    const words = new DatabaseSync(path);
    const kept = words.prepare("SELECT count(*) AS n FROM recall_words WHERE word LIKE ?");
    expect(kept.get(`%canary${SUBJECTS - 1}x%`)).not.toEqual({ n: 0 });
    for (let subject = 0; subject < SUBJECTS - 1; subject++)
      expect(kept.get(`%canary${subject}x%`), `subject ${subject}`).toEqual({ n: 0 });
    words.close();
    // The one that nobody erased is whole, and found.
    const last = SUBJECTS - 1;
    expect((await store.threads.load(threadOf(last)))?.version).toBe(70);
    const found = await store.recall?.search(threadOf(last), { text: canary(last, 3), limit: 1 });
    expect(found?.hits[0]?.excerpt).toContain(canary(last, 3));
    expect(await verifyStore(store)).toEqual([]);
    expect(await verifySince(store, checkpoint)).toEqual([]);
    expect(
      new DatabaseSync(path).prepare("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'trigger'").get(),
    ).not.toEqual({ n: 0 });
    await store.close();
    const after = hitsIn(folder);
    for (let subject = 0; subject < last; subject++) expect(after(subject)).toBe(0);
    expect(after(last)).toBe(CANARIES - 5);
  });

  it("reaches what is left of rows where pages were split: threads that grew side by side in a SQLite file", async () => {
    const folder = freshFolder();
    const store = await openSqliteStore(join(folder, "store.db"));
    const people = Array.from({ length: 12 }, (_, subject) => subject);
    for (let number = 0; number < CANARIES; number++)
      for (const subject of people) {
        const text = `${canary(subject, number)} ${"filler ".repeat((number * 7 + subject * 13) % 60)}`;
        await store.threads.append(threadOf(subject), [entry(number, text)], { expectedVersion: number });
      }
    const [kept = 0, ...erased] = people;
    for (const subject of erased) {
      await eraseSubject(store, threadOf(subject), WHY);
      expect(hits(folder, subject), `subject ${subject}`).toBe(0);
    }
    expect((await store.threads.load(threadOf(kept)))?.version).toBe(CANARIES);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });

  it(`destroys keys of an encrypted store: ${SUBJECTS} subjects with ${CANARIES} canaries each`, async () => {
    const folder = freshFolder();
    const keys = fileKeyStore(join(folder, "keys"));
    const inner = await openSqliteStore(join(folder, "store.db"));
    const store = encryptedStore(inner, keys);
    const cached = new Map<string, string>();
    const cache = {
      get: async (key: string) => cached.get(key) ?? null,
      set: async (key: string, entry: string) => void cached.set(key, entry),
    };
    for (let subject = 0; subject < SUBJECTS; subject++)
      await plant(store, subject, sealedSummaryCache(cache, keys, threadOf(subject)));
    expect(await sealedSummaryCache(cache, keys, threadOf(1)).get("key 0")).toBe(canary(1, 95));
    const checkpoint = await makeCheckpoint(store, threadOf(3), { at: START });
    for (let subject = 0; subject < SUBJECTS; subject++) {
      const threadId = threadOf(subject);
      const plainDigest = (await store.threads.load(threadId))?.digest ?? "no digest";
      const report = await eraseSubject(store, threadId, WHY);
      expect(report.keyShredded).toBe(true);
      expect(hits(folder, subject)).toBe(0);
      expect([...cached.keys(), ...cached.values()].some((text) => text.includes("canary"))).toBe(false);
      expect(await sealedSummaryCache(cache, keys, threadId).get("key 0")).toBeNull();
      expect(readFileSync(join(folder, "store.db")).includes(plainDigest)).toBe(false);
      await expect(store.threads.load(threadId)).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    }
    expect(
      readdirSync(join(folder, "keys"), { recursive: true }).filter((name) => String(name).endsWith(".key")),
    ).toEqual([]);
    expect(await verifyStore(store)).toEqual([]);
    expect(await verifySince(store, checkpoint)).toEqual([]);
    // A copy of the store from before is of no use to whoever has what is left of the keys.
    await expect(encryptedStore(inner, memoryKeyStore()).threads.load(threadOf(0))).rejects.toMatchObject({
      code: "KEY_MISSING",
    });
    await store.close();
  });

  it("does not pass off as erased what an encrypted store has in the clear", async () => {
    const inner = createMemoryStore();
    const keys = memoryKeyStore();
    await plant(inner, 1);
    const store = encryptedStore(inner, keys);
    await plant(store, 2);
    await expect(eraseSubject(store, threadOf(1), WHY)).rejects.toMatchObject({
      ...{ code: "UNSEAL_FAILED", details: { threadId: threadOf(1) } },
    });
    expect((await inner.threads.load(threadOf(1)))?.length).toBeGreaterThan(0);
    expect(await keys.isShredded(threadOf(1))).toBe(false);
    // As the error says: without keys. The other threads are not touched.
    expect((await eraseSubject(inner, threadOf(1), WHY)).threads).toMatchObject([{ wasErased: false }]);
    expect((await store.threads.load(threadOf(2)))?.length).toBeGreaterThan(0);
    expect((await eraseSubject(store, threadOf(2), WHY)).keyShredded).toBe(true);
  });

  it("does not pass off as erased a sealed thread that goes on in the clear", async () => {
    const keys = memoryKeyStore();
    const source = createMemoryStore();
    await plant(encryptedStore(source, keys), 1);
    const stored = (await source.threads.load(threadOf(1)))?.entries ?? [];
    const inner = createMemoryStore();
    // Versions that did not refuse it wrote such threads.
    await inner.threads.append(threadOf(1), [...stored, entry(900, "in the clear")], { expectedVersion: 0 });
    const store = encryptedStore(inner, keys);
    await expect(eraseSubject(store, threadOf(1), WHY)).rejects.toMatchObject({
      ...{ code: "UNSEAL_FAILED", details: { threadId: threadOf(1), clear: ["entry 71"] } },
      message: expect.stringContaining("entry 71"),
      hint: expect.stringMatching(/without keys.*then.*with/i),
    });
    expect(await keys.isShredded(threadOf(1))).toBe(false);
    // As the error says.
    await eraseSubject(inner, threadOf(1), WHY);
    expect((await eraseSubject(store, threadOf(1), WHY)).keyShredded).toBe(true);
    await expect(inner.threads.load(threadOf(1))).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    expect(await verifyStore(store)).toEqual([]);
  });

  it("does not pass off as erased what lies in the clear beside a sealed thread, in a folder", async () => {
    const folder = freshFolder();
    const keys = fileKeyStore(join(folder, "keys"));
    const [path, artifacts] = [join(folder, "store.db"), `file:${join(folder, "artifacts")}`];
    const threadId = threadOf(1);
    const store = await openStore(path, { artifacts, encryption: { keys } });
    await plant(store, 1);
    const bare = await openStore(path, { artifacts });
    const left = await bare.artifacts.store("in the clear", metadata({ threadId }));
    await expect(eraseSubject(store, threadId, WHY)).rejects.toMatchObject({
      ...{ code: "UNSEAL_FAILED", details: { threadId, clear: [`artifact ${left}`] } },
    });
    expect((await store.threads.load(threadId))?.version).toBe(70);
    for (const each of [store, bare]) await each.close();
  });

  it("destroys no key of a subject before it is known that all that goes with it can be erased", async () => {
    const inner = createMemoryStore();
    const keys = memoryKeyStore();
    const store = encryptedStore(inner, keys);
    await plant(store, 1);
    await plant(inner, 2);
    await store.journal.append(threadOf(1), { type: "thread-copied", to: threadOf(2), as: "fork" }, START);
    for (const dryRun of [true, false])
      await expect(eraseSubject(store, threadOf(1), { ...WHY, dryRun })).rejects.toMatchObject({
        ...{ code: "UNSEAL_FAILED", details: { threadId: threadOf(2) } },
      });
    expect((await store.threads.load(threadOf(1)))?.version).toBe(70);
  });

  it("destroys the keys of what was erased in a store that keeps artifacts elsewhere", async () => {
    const folder = freshFolder();
    const keys = fileKeyStore(join(folder, "keys"));
    const [path, artifacts] = [join(folder, "store.db"), `file:${join(folder, "artifacts")}`];
    const store = await openStore(path, { artifacts, encryption: { keys } });
    await plant(store, 1);
    const main = await openStore(path);
    await eraseSubject(main, threadOf(1), WHY);
    expect((await eraseSubject(store, threadOf(1), WHY)).keyShredded).toBe(true);
    for (const each of [store, main]) await each.close();
  });
});

let tenants = 0;
let database: PGlite | undefined;
afterAll(() => database?.close());
async function openPostgres(clock: Clock = { now: () => START_MS }) {
  database ??= await freshPGlite();
  return openPostgresStore(pgliteDriver(database), { schema: "erasure", tenantId: `tenant ${tenants++}`, clock });
}

const backends: readonly (readonly [string, () => Promise<ErasableStore>])[] = [
  ["memory", async () => createMemoryStore({ clock: { now: () => START_MS } })],
  ["SQLite", async () => openSqliteStore(join(freshFolder(), "store.db"), { clock: { now: () => START_MS } })],
  ["PostgreSQL", () => openPostgres()],
  [
    "encrypted SQLite",
    async () => encryptedStore(await openSqliteStore(join(freshFolder(), "store.db")), memoryKeyStore()),
  ],
  ["encrypted PostgreSQL", async () => encryptedStore(await openPostgres(), memoryKeyStore())],
];

describe.each(backends)("an erased thread in %s", (_name, open) => {
  async function erased(): Promise<ErasableStore> {
    const store = await open();
    await plant(store, 0);
    await store.threads.append(THREAD, transcript(4), { expectedVersion: 0 });
    await eraseSubject(store, threadOf(0), WHY);
    return store;
  }

  it("says that it was erased to whoever asks for its content or adds to it", async () => {
    const store = await erased();
    const threadId = threadOf(0);
    const [artifact] = await store.artifacts.list(threadId);
    if (artifact === undefined) throw new Error("the artifact's id is there");
    // What a session that was open meanwhile still has in memory.
    const remembered = AgentThread.empty(threadId).appendEntries(transcript(4));
    const plan = sealPlan({
      ...groupRecords([]),
      ...{ threadId, threadVersion: 70, version: 6, policyVersion: "p", createdAt: START },
      ...{ originalTokens: 1, compactedTokens: 1 },
    });
    for (const [name, call] of Object.entries({
      load: () => store.threads.load(threadId),
      loadAt: () => store.threads.load(threadId, { atVersion: 5 }),
      append: () => store.threads.append(threadId, [entry(99)], { expectedVersion: "any" }),
      appendAgain: () => store.threads.append(threadId, [entry(1)], { expectedVersion: "any" }),
      retry: () => store.threads.append(threadId, [entry(1)], { expectedVersion: 0, idempotencyKey: "key" }),
      getCurrentPlan: () => store.plans.getCurrentPlan(threadId),
      getPlan: () => store.plans.getPlan(threadId, 2),
      commitPlan: () => store.plans.commitPlan(threadId, plan, 5),
      retrieve: () => store.artifacts.retrieve(artifact),
      store: () => store.artifacts.store("more", metadata({ threadId })),
      storeAgain: () => store.artifacts.store(canary(0, 70), metadata({ threadId })),
      recordRequest: () => store.journal.append(threadId, requestRecord, START),
      ...(store.ranges !== undefined && {
        resume: () => store.ranges?.resume(threadId),
        loadRange: () => store.ranges?.loadRange(threadId, { fromVersion: 0 }),
        findMessages: () => store.ranges?.findMessages(threadId, ["m1" as MessageId]),
      }),
      ...(store.recall !== undefined && {
        index: () => store.recall?.index(threadId, remembered.messages),
        search: () => store.recall?.search(threadId, { text: canary(0, 1) }),
      }),
    }))
      await expect(call(), name).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    // To another tenant it looks like what was never there.
    const other = { requesterId: "x", tenantId: "other", permissions: [] };
    expect(await store.artifacts.retrieve(artifact, other)).toBeNull();
    expect((await store.threads.load(THREAD))?.version).toBe(4);
    await store.close();
  });

  it("takes other records into its journal, and requests of other threads", async () => {
    const store = await erased();
    await store.journal.append(
      threadOf(0),
      { type: "usage-reported", requestSequence: 1, usage: { inputTokens: 1, outputTokens: 1 } },
      START,
    );
    await store.journal.append(THREAD, requestRecord, START);
    expect((await store.journal.read(THREAD)).at(-1)?.record).toEqual(requestRecord);
    await store.close();
  });

  it("is still listed, verifies, and is proven by its journal", async () => {
    const store = await erased();
    const threadId = threadOf(0);
    const { items } = await store.threads.list();
    expect(items.map(({ threadId: id, version, planVersion }) => [id, version, planVersion])).toEqual([
      [threadId, 70, 5],
      [THREAD, 4, 0],
    ]);
    expect((await store.plans.listPlans(threadId)).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5]);
    expect(await verifyStore(store)).toEqual([]);
    expect((await store.journal.read(threadId)).at(-1)?.record).toEqual({
      ...{ type: "thread-erased", actor: "operator-1", reason: "user-request" },
      ...{ entries: 70, plans: 5, artifacts: 15, keyShredded: _name.startsWith("encrypted") },
    });
    const file: Buffer[] = [];
    for await (const line of exportAudit(store, threadId, { at: START })) file.push(Buffer.from(line));
    expect(Buffer.concat(file).includes("canary")).toBe(false);
    expect(await verifyAudit(file)).toMatchObject({ problem: null, entries: 70, plans: 5, artifacts: 15, journal: 2 });
    await store.close();
  });

  it("is erased once, however often it is", async () => {
    const store = await erased();
    const before = await store.journal.read(threadOf(0));
    const again = await eraseSubject(store, threadOf(0), { ...WHY, reason: "again" });
    expect(again.threads).toEqual([expect.objectContaining({ wasErased: true, entries: 70, proofSequence: 2 })]);
    expect(await store.journal.read(threadOf(0))).toEqual(before);
    await store.close();
  });

  it("is only looked at by a dry run, and a subject that is not there is not found", async () => {
    const store = await open();
    await plant(store, 0);
    const seen: ThreadId[] = [];
    const forget = async (threadId: ThreadId): Promise<void> => void seen.push(threadId);
    const report = await eraseSubject(store, threadOf(0), { ...WHY, dryRun: true, forget });
    expect(report.threads).toEqual([
      {
        threadId: threadOf(0),
        entries: 70,
        plans: 5,
        artifacts: 15,
        copyOf: null,
        wasErased: false,
        proofSequence: null,
      },
    ]);
    expect((await store.threads.load(threadOf(0)))?.version).toBe(70);
    expect(seen).toEqual([]);
    await expect(eraseSubject(store, "nobody", WHY)).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
    await eraseSubject(store, threadOf(0), { ...WHY, forget });
    expect(seen).toEqual([threadOf(0)]);
    await store.close();
  });
});

describe("an erasure whose proof could not be written", () => {
  it.each([
    ["at", { at: undefined }],
    ["at", { at: "yesterday" }],
    ["at", { at: "2026-01-01 12:00" }],
    ["at", { at: new Date(START_MS) }],
    ["actor", { actor: undefined }],
    ["actor", { actor: " " }],
    ["actor", { actor: "operator \ud800" }],
    ["reason", { reason: undefined }],
    ["reason", { reason: "" }],
    ["reason", { reason: "user\0request" }],
    ["forget", { forget: "everything" }],
    ["dryRun", { dryRun: "yes" }],
    ["dryRun", { dryRun: 1 }],
    ["keepCopies", { keepCopies: "all" }],
    ["signal", { signal: 7 }],
    ["dryrun", { dryrun: true }],
  ])("is refused for its %s before anything is touched: %o", async (option, given) => {
    const store = createMemoryStore();
    await plant(store, 0);
    const refusal = { code: "INVALID_CONFIG", details: { name: option }, message: expect.stringContaining(option) };
    for (const dryRun of [true, false])
      await expect(eraseSubject(store, threadOf(0), { ...WHY, dryRun, ...given } as never)).rejects.toMatchObject(
        refusal,
      );
    expect((await store.threads.load(threadOf(0)))?.version).toBe(70);
    expect(await verifyStore(store)).toEqual([]);
  });
});

describe("an erasure of nobody, or up to no time", () => {
  it.each(["", undefined, null, 7, {}])("is refused before anything is touched: %o", async (given) => {
    // A host that knows no subject of a thread must not see all such threads go with an empty name.
    const store = encryptedStore(createMemoryStore(), memoryKeyStore(), { subjectOf: () => "" });
    await plant(store, 0);
    const refusal = { code: "INVALID_CONFIG", details: { name: "subject" } };
    await expect(eraseSubject(store, given as string, WHY)).rejects.toMatchObject(refusal);
    expect((await store.threads.load(threadOf(0)))?.version).toBe(70);
    for (const options of [undefined, null, "why"])
      await expect(eraseSubject(store, "ada", options as never)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, "now", new Date()])("sweeps nothing: %o", async (given) => {
    const store = await openSqliteStore(join(freshFolder(), "store.db"));
    await expect(sweepExpired(store, given as number)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      details: { name: "nowMs" },
    });
    await store.close();
  });
});

describe("an erasure that was cut off", () => {
  it("is a finding until it is done again", async () => {
    const store = await openSqliteStore(join(freshFolder(), "store.db"));
    await plant(store, 0);
    await store.eraser.erase(threadOf(0));
    expect(await verifyStore(store, threadOf(0))).toEqual([expect.objectContaining({ family: "journal", at: 2 })]);
    await eraseSubject(store, threadOf(0), WHY);
    expect(await verifyStore(store, threadOf(0))).toEqual([]);
    await store.close();
  });

  it("says so while somebody else reads the log, and finishes when it is called again", async () => {
    const folder = freshFolder();
    const path = join(folder, "store.db");
    const store = await openSqliteStore(path);
    await plant(store, 0);
    const reader = new DatabaseSync(path);
    reader.exec("BEGIN; SELECT count(*) FROM entries;");
    const slow = new DatabaseSync(path);
    slow.close();
    const erasing = eraseSubject(store, threadOf(0), WHY).catch((error: unknown) => error);
    expect(await erasing).toMatchObject({ code: "STORE_UNAVAILABLE" });
    reader.exec("COMMIT");
    reader.close();
    await eraseSubject(store, threadOf(0), WHY);
    expect(hits(folder, 0)).toBe(0);
    await store.close();
  }, 30_000);

  it("covers all threads of one person", async () => {
    const inner = createMemoryStore();
    const keys = memoryKeyStore();
    const store = encryptedStore(inner, keys, { tenantId: "t", subjectOf: (id) => (id === THREAD ? "other" : "ada") });
    for (const subject of [0, 1, 2]) await plant(store, subject);
    await store.threads.append(THREAD, transcript(4), { expectedVersion: 0 });
    const report = await eraseSubject(store, "ada", WHY);
    expect(report.threads.map(({ threadId }) => threadId)).toEqual([0, 1, 2].map(threadOf));
    expect(await keys.isShredded(canonicalJson(["t", "ada"]))).toBe(true);
    expect((await store.threads.load(THREAD))?.version).toBe(4);
  });
});

describe("R24 a sweep", () => {
  const requests = fc.array(
    fc.record({ ttlMs: fc.option(fc.integer({ min: 0, max: 2_000 }), { freq: 4 }), createdMs: fc.nat(2_000) }),
    { minLength: 1, maxLength: 8 },
  );

  const openKind: Readonly<Record<string, (clock: Clock, path: string) => Promise<ErasableStore>>> = {
    memory: async (clock) => createMemoryStore({ clock }),
    SQLite: (clock, path) => openSqliteStore(path, { clock }),
    PostgreSQL: (clock) => openPostgres(clock),
  };

  it.each(Object.entries(openKind))(
    "in %s removes what has expired at that very millisecond, and nothing else",
    async (kind, open) => {
      const time = { now: START_MS };
      const folder = freshFolder();
      let run = 0;
      await fc.assert(
        fc.asyncProperty(requests, fc.nat(4_000), async (artifacts, sweepMs) => {
          time.now = START_MS;
          const clock = { now: () => time.now };
          const path = join(folder, `${run++}.db`);
          const store = await open(clock, path);
          const kept = new Map<string, number>();
          for (const [index, { ttlMs, createdMs }] of artifacts.entries()) {
            const createdAt = new Date(START_MS + createdMs).toISOString();
            const ttlSeconds = ttlMs === null ? null : ttlMs / 1_000;
            const id = await store.artifacts.store(`content ${index}`, metadata({ createdAt, ttlSeconds }));
            kept.set(id, ttlMs === null ? Number.POSITIVE_INFINITY : START_MS + createdMs + ttlMs);
          }
          const expiries = [...kept.values()].filter(Number.isFinite);
          for (const offset of [-1, 0, 1]) {
            time.now = (expiries[0] ?? START_MS + sweepMs) + offset;
            const due = [...kept].filter(([, expiry]) => expiry <= time.now);
            expect(await sweepExpired(store, time.now)).toBe(due.length);
            for (const [id] of due) kept.delete(id);
            expect(await store.artifacts.list(THREAD)).toEqual([...kept.keys()]);
            // Turning the clock back brings nothing back that was swept.
            time.now = START_MS - 1;
            expect((await store.artifacts.list(THREAD)).length).toBe(kept.size);
          }
          expect(await verifyStore(store)).toEqual([]);
          await store.close();
          rmSync(path, { force: true });
        }),
        runs({ memory: 900, SQLite: 100 }[kind] ?? 40),
      );
    },
  );

  it("takes the content's bytes out of the file, and stores it anew when it comes again", async () => {
    const folder = freshFolder();
    const time = { now: START_MS };
    const store = await openSqliteStore(join(folder, "store.db"), { clock: { now: () => time.now } });
    for (let number = 0; number < CANARIES; number++)
      await store.artifacts.store(canary(7, number), metadata({ ttlSeconds: 60 }));
    expect(hits(folder, 7)).toBe(CANARIES);
    time.now += 60_000;
    expect(await sweepExpired(store, time.now)).toBe(CANARIES);
    expect(hits(folder, 7)).toBe(0);
    const again = await store.artifacts.store(canary(7, 0), metadata());
    expect((await store.artifacts.retrieve(again))?.content).toBe(canary(7, 0));
    await store.close();
  });
});
