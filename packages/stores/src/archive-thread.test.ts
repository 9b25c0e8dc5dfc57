import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { asThreadId, ThreadfoldError, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { archiveThread, archiveThreads, unarchiveThread } from "./archive-thread.ts";
import { type ArchivableStore, type OpenSegments, readSegment, writeSegment } from "./audit/segment.ts";
import { verifyStore } from "./audit/verify-store.ts";
import { encryptedStore } from "./encryption/encrypted-store.ts";
import { memoryKeyStore } from "./encryption/subject-keys.ts";
import { type ErasableStore, eraseSubject } from "./erasure/erase-subject.ts";
import { exportThread } from "./inspection/export-thread.ts";
import { dropPlan, entry, metadata, OTHER_THREAD, START, START_MS, THREAD, transcript } from "./laws/sample-data.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import { openStore, segmentPlaces } from "./open-store.ts";
import type { ObjectFolder } from "./shared/object-artifacts.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { furnishThread } from "./testing/furnished.ts";

const DAY_MS = 86_400_000;
let folder: string;
let path: string;
let cold: string;
let now: number;
const clock = { now: () => now };
const places = segmentPlaces();

beforeEach(() => {
  folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
  path = join(folder, "store.db");
  cold = join(folder, "cold");
  now = START_MS;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the tables hold of everything, without the keys that rows are given. */
function tables(): string {
  const raw = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string): unknown[] => raw.prepare(sql).all();
  const rows = [
    all("SELECT * FROM threads"),
    all("SELECT * FROM entries"),
    all("SELECT * FROM message_places ORDER BY thread_key, version"),
    all("SELECT * FROM receipts ORDER BY thread_key, idempotency_key"),
    all("SELECT * FROM plans"),
    all("SELECT * FROM journal"),
    all(
      "SELECT artifact_id, thread_key, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes, hex(content) FROM artifacts JOIN artifact_contents USING (artifact_key) ORDER BY artifact_id",
    ),
    all("SELECT * FROM archives"),
  ];
  raw.close();
  return JSON.stringify(rows);
}

const later = { to: "", clock, stillForMs: 0 };

async function furnished(): Promise<ThreadfoldStore & ErasableStore & ArchivableStore> {
  const store = await openSqliteStore(path, { clock });
  await furnishThread(store, THREAD, { expires: false });
  await furnishThread(store, OTHER_THREAD, { expires: false });
  now += DAY_MS;
  return store;
}

const filesIn = (place: string): readonly string[] =>
  existsSync(place)
    ? readdirSync(place, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map(({ name }) => name)
    : [];

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "nothing was thrown",
    (error: unknown) => (ThreadfoldError.isInstance(error) ? error.code : error),
  );

describe("archiving a thread", () => {
  it("leaves a receipt, makes every read and write fail with THREAD_ARCHIVED, and is undone byte for byte", async () => {
    const store = await furnished();
    const before = tables();
    const exported = await exportThread(store, THREAD);
    const receipt = await archiveThread(store, THREAD, { ...later, to: cold });
    expect(receipt).toMatchObject({ threadId: THREAD, tenant: "null", isCold: true, place: `file:${cold}` });
    expect(statSync(join(cold, receipt.key)).size).toBe(receipt.bytes);
    const raw = new DatabaseSync(path, { readOnly: true });
    for (const table of ["entries", "plans", "journal", "receipts", "artifacts", "message_places"])
      expect(raw.prepare(`SELECT count(*) AS rows FROM ${table} WHERE thread_key = 1`).get()?.["rows"], table).toBe(0);
    raw.close();
    const plan = dropPlan([], { version: 4, threadVersion: 1 });
    const calls: Record<string, () => Promise<unknown>> = {
      load: () => store.threads.load(THREAD),
      appendAny: () => store.threads.append(THREAD, [entry(99)], { expectedVersion: "any" }),
      appendNew: () => store.threads.append(THREAD, [entry(99)], { expectedVersion: "no-thread" }),
      appendAt: () => store.threads.append(THREAD, [entry(99)], { expectedVersion: 40 }),
      again: () => store.threads.append(THREAD, transcript(36), { expectedVersion: 0, idempotencyKey: "key 0" }),
      nothing: () => store.threads.append(THREAD, [], { expectedVersion: "any" }),
      plan: () => store.plans.getCurrentPlan(THREAD),
      planAt: () => store.plans.getPlan(THREAD, 1),
      version: async () => store.plans.getCurrentVersion?.(THREAD),
      plans: () => store.plans.listPlans(THREAD),
      commit: () => store.plans.commitPlan(THREAD, plan, 3),
      artifact: () => store.artifacts.store("more", metadata()),
      artifacts: () => store.artifacts.list(THREAD),
      record: () =>
        store.journal.append(THREAD, { type: "artifact-denied", artifactId: "a" as never, requesterId: "r" }, START),
      journal: () => store.journal.read(THREAD),
      resume: async () => store.ranges?.resume(THREAD),
      range: async () => store.ranges?.loadRange(THREAD, { fromVersion: 0 }),
      find: async () => store.ranges?.findMessages(THREAD, ["m1" as never]),
      search: async () => store.recall?.search(THREAD, { query: "text" } as never),
      index: async () => store.recall?.index(THREAD, []),
      export: () => exportThread(store, THREAD),
      erase: () => eraseSubject(store, THREAD, { actor: "a", reason: "r", at: START }),
    };
    for (const [name, call] of Object.entries(calls)) expect(await refusal(call()), name).toBe("THREAD_ARCHIVED");
    await expect(store.eraser.erase(THREAD)).rejects.toThrow("the thread is archived");
    await expect(store.threads.load(THREAD)).rejects.toMatchObject({
      hint: expect.stringContaining(`threadfold unarchive ${THREAD}`),
    });
    const listed = (await store.threads.list()).items;
    expect(listed.map(({ threadId, archivedAt, version }) => [threadId, archivedAt, version])).toEqual([
      [THREAD, new Date(now).toISOString(), 40],
      [OTHER_THREAD, undefined, 40],
    ]);
    expect(await archiveThread(store, THREAD, { ...later, to: cold })).toEqual(receipt);
    await unarchiveThread(store, THREAD);
    expect(await exportThread(store, THREAD)).toBe(exported);
    expect(tables()).toBe(before);
    expect(await verifyStore(store)).toEqual([]);
    expect(filesIn(cold)).toEqual([]);
    expect(await refusal(unarchiveThread(store, THREAD))).toBe("THREAD_NOT_FOUND");
    await store.close();
  });

  it.each<[string, object | undefined]>([
    ["options", undefined],
    ["to", { to: undefined }],
    ["to", { to: "" }],
    ["to", { to: " " }],
    ["to", { to: 7 }],
    ["stillForMs", { stillForMs: -1 }],
    ["stillForMs", { stillForMs: Number.NaN }],
    ["stillForMs", { stillForMs: "1h" }],
    ["stillForMs", { stillForMs: new Date() }],
    ["isInUse", { isInUse: 7 }],
    ["open", { open: "s3" }],
    ["clock", { clock: new Date() }],
    ["signal", { signal: 7 }],
  ])("is not moved for an option that makes no sense: %s %o", async (option, given) => {
    const store = await furnished();
    const refused = { code: "INVALID_CONFIG", details: { name: option } };
    const options = given && { ...later, to: cold, ...given };
    await expect(archiveThread(store, THREAD, options as never)).rejects.toMatchObject(refused);
    expect(await store.threads.load(THREAD)).not.toBeNull();
    await store.close();
  });

  it.each<[string, object | undefined]>([
    ["options", undefined],
    ["olderThanMs", { olderThanMs: undefined }],
    ["olderThanMs", { olderThanMs: -1 }],
    ["olderThanMs", { olderThanMs: "30d" }],
    ["olderThanMs", { olderThanMs: new Date() }],
    ["olderThanMs", { olderThanMs: Number.POSITIVE_INFINITY }],
    ["to", { to: "" }],
    ["onThread", { onThread: 7 }],
  ])("is not moved with the others for an option that makes no sense: %s %o", async (option, given) => {
    const store = await furnished();
    const options = given && { to: cold, olderThanMs: 0, ...given };
    const refused = { code: "INVALID_CONFIG", details: { name: option } };
    await expect(archiveThreads(store, options as never)).rejects.toMatchObject(refused);
    for (const id of ["", undefined, 7])
      for (const move of [archiveThread, unarchiveThread])
        await expect(move(store, id as never, { to: cold })).rejects.toMatchObject({
          code: "INVALID_CONFIG",
          message: expect.stringMatching(/^threadId /),
        });
    await expect(unarchiveThread(store, THREAD, { open: 7 } as never)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      details: { name: "open" },
    });
    expect(await store.threads.load(THREAD)).not.toBeNull();
    await store.close();
  });

  it("is refused while it is in use, has live copies or expiring content, was erased or does not exist", async () => {
    const store = await furnished();
    const archive = (threadId: ThreadId, options: object = {}): Promise<unknown> =>
      archiveThread(store, threadId, { ...later, to: cold, ...options });
    await expect(archive(THREAD, { stillForMs: 2 * DAY_MS })).rejects.toMatchObject({
      code: "THREAD_IN_USE",
      message: expect.stringContaining(new Date(START_MS).toISOString()),
      hint: expect.stringContaining("--still-for"),
    });
    await expect(archive(THREAD, { isInUse: (id: ThreadId) => id === THREAD })).rejects.toMatchObject({
      code: "THREAD_IN_USE",
    });
    await store.journal.append(THREAD, { type: "thread-copied", to: OTHER_THREAD, as: "fork" }, START);
    await expect(archive(THREAD)).rejects.toMatchObject({
      code: "THREAD_IN_USE",
      message: expect.stringContaining(OTHER_THREAD),
      details: { copies: [OTHER_THREAD] },
    });
    // Once the copy is cold it reads from nothing; and it comes back after what it was made of.
    await archive(OTHER_THREAD);
    await archive(THREAD);
    await expect(unarchiveThread(store, OTHER_THREAD)).rejects.toMatchObject({
      code: "THREAD_ARCHIVED",
      message: expect.stringContaining(THREAD),
    });
    await expect(eraseSubject(store, THREAD, { actor: "a", reason: "r", at: START })).rejects.toMatchObject({
      code: "THREAD_ARCHIVED",
    });
    await unarchiveThread(store, THREAD);
    // The copy is still cold, so that an erasure of what it was made of would leave its content in the segment.
    for (const dryRun of [true, false])
      await expect(eraseSubject(store, THREAD, { actor: "a", reason: "r", at: START, dryRun })).rejects.toMatchObject({
        code: "THREAD_ARCHIVED",
        details: { threadId: OTHER_THREAD },
      });
    expect(await store.threads.load(THREAD)).not.toBeNull();
    await unarchiveThread(store, OTHER_THREAD);
    await eraseSubject(store, THREAD, { actor: "a", reason: "r", at: START });
    expect(await refusal(archive(THREAD))).toBe("CONTENT_ERASED");
    const expiring = asThreadId("expiring");
    await store.threads.append(expiring, transcript(1), { expectedVersion: 0 });
    await store.artifacts.store("soon gone", metadata({ threadId: expiring, ttlSeconds: 60 }));
    expect(await refusal(archive(expiring, { stillForMs: 0 }))).toBe("THREAD_IN_USE");
    expect(await refusal(archive(asThreadId("nobody")))).toBe("THREAD_NOT_FOUND");
    expect(await refusal(archiveThread(createMemoryStore(), THREAD, { to: cold }))).toBe("INVALID_CONFIG");
    await store.close();
  });

  it("fails with VERSION_CONFLICT when somebody adds to the thread meanwhile, and removes the segment", async () => {
    const store = await furnished();
    const other = await openSqliteStore(path, { clock });
    const open: OpenSegments = async (place, isNew) => {
      const within = (await places(place, isNew)) as ObjectFolder;
      return {
        ...within,
        putNew: async (key, bytes) => {
          await other.artifacts.store("first", { ...metadata(), sensitivity: "confidential" });
          await other.journal.append(THREAD, { type: "thread-copied", to: OTHER_THREAD, as: "fork" }, START);
          return within.putNew(key, bytes);
        },
      };
    };
    expect(await refusal(archiveThread(store, THREAD, { ...later, to: cold, open }))).toBe("VERSION_CONFLICT");
    expect((await store.threads.load(THREAD))?.version).toBe(40);
    expect(await store.archiver.receipts()).toEqual([]);
    expect(filesIn(cold)).toEqual([]);
    await other.close();
    await store.close();
  });

  it("fails when the place returns other bytes, and loses nothing when two calls move the thread at once", async () => {
    const store = await furnished();
    const exported = await exportThread(store, THREAD);
    const careless: OpenSegments = async (place, isNew) => {
      const within = (await places(place, isNew)) as ObjectFolder;
      return { ...within, putNew: (key, bytes) => within.putNew(key, bytes.subarray(0, -1)) };
    };
    const archive = (open: OpenSegments): Promise<unknown> =>
      archiveThread(store, THREAD, { ...later, to: cold, open });
    expect(await refusal(archive(careless))).toBe("STORE_UNAVAILABLE");
    expect(await exportThread(store, THREAD)).toBe(exported);
    // At each step of one call another one goes all the way, out or out and back.
    for (const isBack of [false, true])
      for (let at = 0; at < 5; at++) {
        let step = 0;
        const meddle = async (): Promise<void> => {
          if (step++ !== at) return;
          await archiveThread(store, THREAD, { ...later, to: cold });
          if (isBack) await unarchiveThread(store, THREAD);
        };
        const open: OpenSegments = async (place, isNew) => {
          const within = (await places(place, isNew)) as ObjectFolder;
          const meddled =
            <Values extends unknown[], Result>(work: (...values: Values) => Promise<Result>) =>
            async (...values: Values): Promise<Result> => {
              await meddle();
              return work(...values);
            };
          return {
            ...within,
            putNew: meddled(within.putNew),
            get: meddled(within.get),
            remove: meddled(within.remove),
          };
        };
        await archive(open).catch((error: unknown) => expect(error).toMatchObject({ code: "VERSION_CONFLICT" }));
        expect(await verifyStore(store, undefined, { segments: places })).toEqual([]);
        const receipt = await store.archiver.receiptOf(THREAD);
        expect(filesIn(cold)).toHaveLength(receipt === null ? 0 : 1);
        if (receipt !== null) await unarchiveThread(store, THREAD, { open }).catch(() => undefined);
        if ((await store.archiver.receiptOf(THREAD)) !== null) await unarchiveThread(store, THREAD);
        expect(await exportThread(store, THREAD)).toBe(exported);
        expect(filesIn(cold)).toEqual([]);
      }
    await store.close();
  });

  it("is not undone from a segment that is damaged anywhere, and changes no row", async () => {
    const store = await furnished();
    const { key } = await archiveThread(store, THREAD, { ...later, to: cold });
    const file = join(cold, key);
    const whole = readFileSync(file);
    const before = tables();
    const lines = whole.toString().split("\n");
    const flipped = (at: number): Buffer => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ 1;
      return bytes;
    };
    const damages: Buffer[] = [
      Buffer.alloc(0),
      whole.subarray(0, -1),
      whole.subarray(0, whole.length >> 1),
      Buffer.from(`${lines.slice(0, -2).join("\n")}\n`),
      Buffer.from([lines[0], ...lines.slice(2)].join("\n")),
      Buffer.concat([whole, Buffer.from("{}\n")]),
      ...Array.from({ length: 60 }, (_, index) => flipped(Math.floor((index * whole.length) / 60))),
    ];
    for (const damage of damages) {
      writeFileSync(file, damage);
      expect(await refusal(unarchiveThread(store, THREAD))).toBe("STORE_CORRUPT");
      expect(tables()).toBe(before);
      const [finding] = await verifyStore(store, THREAD, { segments: places });
      expect(finding).toMatchObject({ family: "segment", threadId: THREAD });
      expect(finding?.problem).toMatch(/restore an intact copy of segments\/\S+ to file:/);
    }
    // One that somebody made anew, seals and all, has another root.
    const receipt = await store.archiver.receiptOf(THREAD);
    if (receipt === null) throw new Error("there is a receipt");
    writeFileSync(file, whole);
    const rows = await readSegment(whole, receipt);
    const forged = await writeSegment(
      receipt,
      (async function* () {
        for (const row of rows)
          yield row.type === "receipt" ? { ...row, requestDigest: row.requestDigest.replace(/^./, "0") } : row;
      })(),
    );
    expect(forged.bytes.length).toBe(whole.length);
    writeFileSync(file, forged.bytes);
    await expect(unarchiveThread(store, THREAD)).rejects.toMatchObject({ message: expect.stringContaining("root") });
    expect(tables()).toBe(before);
    rmSync(file);
    expect(await refusal(unarchiveThread(store, THREAD))).toBe("STORE_UNAVAILABLE");
    writeFileSync(file, whole);
    // A segment of another thread, whole as it is, is not this one's.
    const other = await archiveThread(store, OTHER_THREAD, { ...later, to: cold });
    writeFileSync(file, readFileSync(join(cold, other.key)));
    expect(await refusal(unarchiveThread(store, THREAD))).toBe("STORE_CORRUPT");
    writeFileSync(file, whole);
    await unarchiveThread(store, THREAD);
    await unarchiveThread(store, OTHER_THREAD);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });
});

describe("a crash while a thread is archived or restored", () => {
  class Crash extends Error {}

  /** A store and a place that count their steps together, and end at one of them, before it is done or right after it. */
  function crashing(store: ArchivableStore, at: number, isDone: boolean) {
    let step = 0;
    const steps: string[] = [];
    const stepped = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
      if (step > at) throw new Crash("nothing is done any more");
      steps.push(name);
      const isLast = step++ === at;
      if (isLast && !isDone) throw new Crash(name);
      const result = await work();
      if (isLast) throw new Crash(name);
      return result;
    };
    const { archiver } = store;
    const open: OpenSegments = async (place, isNew) => {
      const within = await places(place, isNew);
      return (
        within && {
          ...within,
          putNew: (key, bytes) => stepped("put", () => within.putNew(key, bytes)),
          get: (key) => stepped("get", () => within.get(key)),
          remove: (key) => stepped("remove object", () => within.remove(key)),
        }
      );
    };
    const wrapped: ArchivableStore = {
      ...store,
      archiver: {
        tenant: archiver.tenant,
        receiptOf: (id) => archiver.receiptOf(id),
        receipts: () => archiver.receipts(),
        look: (id) => archiver.look(id),
        rows: (id) => archiver.rows(id),
        note: (receipt) => stepped("note", () => archiver.note(receipt)),
        remove: (receipt, was) => stepped("remove rows", () => archiver.remove(receipt, was)),
        restore: (receipt, rows) => stepped("restore", () => archiver.restore(receipt, rows)),
        drop: (receipt) => stepped("drop", () => archiver.drop(receipt)),
        forget: (receipt) => stepped("forget", () => archiver.forget(receipt)),
      },
    };
    return { store: wrapped, open, steps };
  }

  it("leaves the whole thread or a whole segment with its receipt at every step, and the next run finishes", async () => {
    const store = await furnished();
    const before = tables();
    const exported = await exportThread(store, THREAD);
    const reached = new Set<string>();
    for (const isDone of [false, true])
      for (let at = 0; ; at++) {
        const broken = crashing(store, at, isDone);
        let hasCrashed = false;
        try {
          await archiveThread(broken.store, THREAD, { ...later, to: cold, open: broken.open });
          await unarchiveThread(broken.store, THREAD, { open: broken.open });
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
          hasCrashed = true;
          reached.add(broken.steps.at(-1) ?? "");
        }
        const receipt = await store.archiver.receiptOf(THREAD);
        expect(await verifyStore(store, undefined, { segments: places })).toEqual([]);
        if (receipt?.isCold === true)
          expect(
            await verifyStore(store, THREAD, {
              segments: places,
              onSegment: (_, isReached) => expect(isReached).toBe(true),
            }),
          ).toEqual([]);
        else expect(await exportThread(store, THREAD)).toBe(exported);
        // What may be in a segment is never there without the store's knowing.
        if (receipt === null) expect(filesIn(cold)).toEqual([]);
        if (receipt?.isCold === false)
          expect(await refusal(eraseSubject(store, THREAD, { actor: "a", reason: "r", at: START }))).toBe(
            "THREAD_ARCHIVED",
          );
        await archiveThread(store, THREAD, { ...later, to: cold });
        await unarchiveThread(store, THREAD);
        expect(tables()).toBe(before);
        expect(filesIn(cold)).toEqual([]);
        if (!hasCrashed) break;
      }
    expect([...reached].sort()).toEqual([
      "drop",
      "forget",
      "get",
      "note",
      "put",
      "remove object",
      "remove rows",
      "restore",
    ]);
    await store.close();
  });

  it("lets the next run replace a cut-off segment and remove an older one of the same thread", async () => {
    const store = await furnished();
    const first = crashing(store, 2, true);
    await refusal(archiveThread(first.store, THREAD, { ...later, to: cold, open: first.open }).catch(() => undefined));
    expect(first.steps.at(-1)).toBe("put");
    const { key } = (await store.archiver.receiptOf(THREAD)) as { key: string };
    writeFileSync(join(cold, key), readFileSync(join(cold, key)).subarray(0, 1_000));
    await archiveThread(store, THREAD, { ...later, to: cold });
    await unarchiveThread(store, THREAD);
    const second = crashing(store, 2, true);
    await refusal(
      archiveThread(second.store, THREAD, { ...later, to: cold, open: second.open }).catch(() => undefined),
    );
    await store.journal.append(THREAD, { type: "artifact-denied", artifactId: "a" as never, requesterId: "r" }, START);
    const receipt = await archiveThread(store, THREAD, { ...later, to: join(folder, "other") });
    expect(receipt.key).not.toBe(key);
    expect(filesIn(cold)).toEqual([]);
    await store.close();
  });
});

describe("verify", () => {
  it("checks reachable segments, reports missing ones and tells which it could not reach", async () => {
    const store = await furnished();
    const { key } = await archiveThread(store, THREAD, { ...later, to: cold });
    await archiveThread(store, OTHER_THREAD, { ...later, to: join(folder, "other") });
    const verified = async (segments?: OpenSegments) => {
      const seen: [string, boolean][] = [];
      const onSegment = ({ threadId }: { threadId: string }, isReached: boolean) =>
        void seen.push([threadId, isReached]);
      const findings = await verifyStore(store, undefined, { onSegment, ...(segments && { segments }) });
      return { findings, seen };
    };
    expect(await verified()).toEqual({
      findings: [],
      seen: [
        [THREAD, false],
        [OTHER_THREAD, false],
      ],
    });
    expect(await verified(places)).toEqual({
      findings: [],
      seen: [
        [THREAD, true],
        [OTHER_THREAD, true],
      ],
    });
    rmSync(join(folder, "other"), { recursive: true });
    rmSync(join(cold, key));
    const { findings, seen } = await verified(places);
    expect(seen).toEqual([
      [THREAD, true],
      [OTHER_THREAD, false],
    ]);
    expect(findings).toEqual([
      { family: "segment", threadId: THREAD, at: null, problem: expect.stringContaining("missing") },
    ]);
    await store.close();
  });

  it("finds an archive receipt whose root, line count, version, digest or key was changed", async () => {
    const store = await furnished();
    await archiveThread(store, THREAD, { ...later, to: cold });
    const raw = new DatabaseSync(path);
    const [trigger] = raw.prepare("SELECT sql FROM sqlite_schema WHERE name = 'archives_no_change'").all();
    raw.exec("DROP TRIGGER archives_no_change");
    for (const change of [
      "root = replace(root, substr(root, 1, 1), 'g')",
      "lines = lines + 1",
      "version = 1",
      "digest = 'x'",
      "segment_key = 'elsewhere'",
    ]) {
      const [kept] = raw.prepare("SELECT * FROM archives").all() as [Record<string, string | number>];
      raw.exec(`UPDATE archives SET ${change}`);
      expect(await verifyStore(store, THREAD, { segments: places }), change).toHaveLength(1);
      for (const column of ["root", "lines", "version", "digest", "segment_key"])
        raw.prepare(`UPDATE archives SET ${column} = ?`).run(kept[column] as string);
    }
    raw.exec(String(trigger?.["sql"]));
    raw.close();
    expect(await verifyStore(store, undefined, { segments: places })).toEqual([]);
    await store.close();
  });
});

describe("the segment of an encrypted store", () => {
  it("holds no content in the clear, and needs no key to move", async () => {
    const inner = await openSqliteStore(path, { clock });
    const store = encryptedStore(inner, memoryKeyStore()) as unknown as ArchivableStore & ErasableStore;
    const secret = "the very secret words";
    await store.threads.append(THREAD, [entry(0, secret), ...transcript(8).slice(1)], { expectedVersion: 0 });
    const thread = await store.threads.load(THREAD);
    await store.plans.commitPlan(
      THREAD,
      dropPlan(thread?.messagesBetween(0, 2) ?? [], { version: 1, threadVersion: 8 }),
      0,
    );
    const artifactId = await store.artifacts.store(secret, metadata());
    const exported = await exportThread(store, THREAD);
    now += DAY_MS;
    const { key } = await archiveThread(inner, THREAD, { ...later, to: cold });
    const text = readFileSync(join(cold, key), "utf8");
    expect(text).not.toContain("secret");
    expect(text).toContain(artifactId);
    expect(await refusal(store.threads.load(THREAD))).toBe("THREAD_ARCHIVED");
    expect(await refusal(eraseSubject(store, THREAD, { actor: "a", reason: "r", at: START }))).toBe("THREAD_ARCHIVED");
    // Another thread is sealed as before, beside one that cannot be read.
    await store.threads.append(OTHER_THREAD, transcript(2), { expectedVersion: 0 });
    expect(await verifyStore(store, undefined, { segments: places })).toEqual([]);
    await unarchiveThread(store, THREAD);
    expect(await exportThread(store, THREAD)).toBe(exported);
    await store.close();
  });
});

describe("artifacts that are kept elsewhere", () => {
  it("stay there when their thread is archived, and the thread still verifies", async () => {
    const store = await openStore(path, { clock, artifacts: `file:${join(folder, "artifacts")}` });
    await furnishThread(store, THREAD, { expires: false });
    now += DAY_MS;
    await archiveThread(store, THREAD, { ...later, to: cold });
    expect(await store.artifacts.list(THREAD)).toHaveLength(3);
    expect(await verifyStore(store, undefined, { segments: places })).toEqual([]);
    await unarchiveThread(store, THREAD);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });
});

describe("retention", () => {
  it("archives threads that have been idle for long enough, forks before their source", async () => {
    const store = await furnished();
    await store.journal.append(THREAD, { type: "thread-copied", to: OTHER_THREAD, as: "fork" }, START);
    now += 100 * DAY_MS;
    await store.threads.append(asThreadId("new"), transcript(1), { expectedVersion: 0 });
    const seen: ThreadId[] = [];
    const report = await archiveThreads(store, {
      ...{ to: cold, clock, olderThanMs: 90 * DAY_MS },
      onThread: (threadId) => void seen.push(threadId),
    });
    expect(report.archived.map(({ threadId }) => threadId)).toEqual([OTHER_THREAD, THREAD]);
    expect(report.refused).toEqual([]);
    expect([...seen].sort()).toEqual(["new", THREAD, OTHER_THREAD].sort());
    expect(await archiveThreads(store, { to: cold, clock, olderThanMs: 90 * DAY_MS })).toEqual({
      archived: [],
      refused: [],
    });
    await store.close();
  });

  it("stops between two threads when its signal aborts, and finishes when it is called again", async () => {
    const store = await furnished();
    const stop = new AbortController();
    const options = { to: cold, clock, olderThanMs: 1 };
    const ended = archiveThreads(store, { ...options, signal: stop.signal, onThread: () => stop.abort() });
    expect(await refusal(ended)).toBe("ABORTED");
    expect((await store.archiver.receipts()).map(({ isCold }) => isCold)).toEqual([true]);
    const { archived } = await archiveThreads(store, options);
    expect(archived.map(({ threadId }) => threadId)).toEqual([OTHER_THREAD]);
    await store.close();
  });

  it("leaves nothing behind when it is aborted at any step before the rows are removed", async () => {
    const store = await furnished();
    const before = tables();
    for (const step of ["get", "putNew"] as const) {
      const stop = new AbortController();
      const open: OpenSegments = async (place, isNew) => {
        const within = (await places(place, isNew)) as ObjectFolder;
        const stopping = async (...values: never[]): Promise<never> => {
          stop.abort();
          return (within[step] as (...given: never[]) => Promise<never>)(...values);
        };
        return { ...within, [step]: stopping };
      };
      const ended = archiveThread(store, THREAD, { ...later, to: cold, open, signal: stop.signal });
      expect(await refusal(ended), step).toBe("ABORTED");
      expect(tables()).toBe(before);
      expect(filesIn(cold)).toEqual([]);
    }
    await store.close();
  });

  it("refuses a thread that does not verify, names it and archives the others", async () => {
    const store = await furnished();
    const raw = new DatabaseSync(path);
    const [trigger] = raw.prepare("SELECT sql FROM sqlite_schema WHERE name = 'entries_no_update'").all();
    raw.exec(
      "DROP TRIGGER entries_no_update; UPDATE entries SET body = replace(body, 'text 4', 'text 5') WHERE entry_key = (1 << 32) + 5",
    );
    raw.exec(String(trigger?.["sql"]));
    raw.close();
    const { archived, refused } = await archiveThreads(store, { to: cold, clock, olderThanMs: 1 });
    expect(archived.map(({ threadId }) => threadId)).toEqual([OTHER_THREAD]);
    expect(refused).toEqual([
      { threadId: THREAD, code: "STORE_CORRUPT", message: expect.stringContaining("entries at 5") },
    ]);
    await store.close();
  });
});
