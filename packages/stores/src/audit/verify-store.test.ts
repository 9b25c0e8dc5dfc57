import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  AgentThread,
  asThreadId,
  nextThreadLink,
  serializeEntry,
  ThreadAddition,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveThread } from "../archive-thread.ts";
import { type ErasableStore, eraseSubject } from "../erasure/erase-subject.ts";
import { exportThread } from "../inspection/export-thread.ts";
import type { InspectableStore, StoreInspector } from "../inspection/inspector.ts";
import { dropPlan, metadata, pin, START, THREAD, transcript } from "../laws/sample-data.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { withoutGuards } from "../testing/without-guards.ts";
import { exportAudit } from "./audit-file.ts";
import { makeCheckpoint } from "./checkpoint.ts";
import { verifyAudit } from "./verify-audit.ts";
import { type StoreFinding, verifySince, verifyStore } from "./verify-store.ts";

const ENTRIES = 9;
let folder: string;
/** The thread's digest at each of its versions, from 0. */
let digests: readonly string[];

beforeAll(async () => {
  // Many copies of one file that nobody needs after a crash: memory is a good enough disk for them.
  folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
  const store = await openSqliteStore(join(folder, "intact.db"));
  await store.threads.append(THREAD, [...transcript(ENTRIES - 1), pin("p1")], { expectedVersion: 0 });
  const thread = await store.threads.load(THREAD);
  if (thread === null) throw new Error("the thread is there");
  digests = Array.from({ length: ENTRIES + 1 }, (_, version) => thread.atVersion(version).digest);
  const planIds: string[] = [];
  for (const version of [1, 2, 3]) {
    const plan = dropPlan(thread.messagesBetween(0, version), { version, threadVersion: ENTRIES });
    await store.plans.commitPlan(THREAD, plan, version - 1);
    planIds.push(plan.planId);
  }
  for (const content of ["first", "second", "third"]) await store.artifacts.store(content, metadata());
  await store.journal.append(
    THREAD,
    { type: "entries-appended", threadVersion: ENTRIES, threadDigest: thread.digest },
    START,
  );
  for (const requestSequence of [1, 2, 3]) {
    await store.journal.append(
      THREAD,
      { type: "usage-reported", requestSequence, usage: { inputTokens: 1, outputTokens: 1 } },
      START,
    );
  }
  for (const [index, planId] of planIds.entries()) {
    const record = { type: "plan-committed", planVersion: index + 1, planId, diffDigest: planId } as const;
    await store.journal.append(THREAD, record, START);
  }
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Copies the intact store, lets somebody work on the copy with raw SQL and no triggers, and verifies it. */
async function findingsAfter(
  sql: string,
  checked: ThreadId | "everything" = THREAD,
  { guards = "put back" }: { readonly guards?: "put back" | "left off" } = {},
): Promise<readonly StoreFinding[]> {
  const path = join(folder, "tampered.db");
  rmSync(path, { force: true });
  copyFileSync(join(folder, "intact.db"), path);
  const raw = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  // Newer versions of Node keep a schema from being written by hand.
  raw.enableDefensive?.(false);
  if (guards === "left off")
    for (const { name } of raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
      raw.exec(`DROP TRIGGER ${String(name)}`);
  withoutGuards(raw, () => raw.exec(sql));
  raw.close();
  const store = await openSqliteStore(path);
  try {
    return await (checked === "everything" ? verifyStore(store) : verifyStore(store, checked));
  } finally {
    await store.close();
  }
}

const expectFirst = (
  findings: readonly StoreFinding[],
  family: StoreFinding["family"],
  at: number | string | null,
): void => {
  const found = findings.find((finding) => finding.family === family);
  expect(found, JSON.stringify(findings)).toBeDefined();
  expect(found?.at).toBe(at);
};

const bodyOf = (table: string, version: number): string => `(SELECT body FROM ${table} WHERE version = ${version})`;

describe("R11 verifyStore", () => {
  it("finds nothing in a store that nobody tampered with", async () => {
    expect(await findingsAfter("")).toEqual([]);
    expect(await findingsAfter("", "everything")).toEqual([]);
  });

  it("finds a change to any column of an entry and names the first bad entry", async () => {
    const changes = {
      body: (at: number) => `UPDATE entries SET body = replace(body, '"', ' "') WHERE version = ${at}`,
      "body that is no JSON": (at: number) => `UPDATE entries SET body = '{' WHERE version = ${at}`,
      digest: (at: number) => `UPDATE entries SET digest = lower(hex(randomblob(32))) WHERE version = ${at}`,
      link: (at: number) => `UPDATE entries SET link = lower(hex(randomblob(32))) WHERE version = ${at}`,
      kind: (at: number) => `UPDATE entries SET kind = 'pin-lifted' WHERE version = ${at}`,
      id: (at: number) => `UPDATE entries SET message_id = 'other', pin_id = 'other' WHERE version = ${at}`,
      ordinal: (at: number) => `UPDATE entries SET messages = messages + 1 WHERE version = ${at}`,
      turn: (at: number) => `UPDATE entries SET turn = turn + 1 WHERE version = ${at}`,
      step: (at: number) => `UPDATE entries SET step = step - 1 WHERE version = ${at}`,
      gone: (at: number) => `UPDATE entries SET body = '' WHERE version = ${at}`,
      "left out": (at: number) => `DELETE FROM entries WHERE version = ${at}`,
    };
    for (const change of Object.values(changes)) {
      for (const at of [1, 5, ENTRIES]) expectFirst(await findingsAfter(change(at)), "entries", at);
    }
  });

  it("finds swapped entries, a cut-off end and an added entry", async () => {
    const swap = `UPDATE entries SET body = CASE version WHEN 3 THEN ${bodyOf("entries", 6)} ELSE ${bodyOf("entries", 3)} END WHERE version IN (3, 6)`;
    expectFirst(await findingsAfter(swap), "entries", 3);
    expectFirst(await findingsAfter("DELETE FROM entries WHERE version > 5"), "entries", 6);
    expectFirst(await findingsAfter("DELETE FROM entries"), "entries", 1);
    const forged = `INSERT INTO entries SELECT entry_key - version + ${ENTRIES + 1}, kind, 'm99', pin_id, messages + 1, turn, step, digest, link, appended_at, body FROM entries WHERE version = 8`;
    expectFirst(await findingsAfter(forged), "entries", ENTRIES + 1);
  });

  it("finds a message that was inserted twice, even though its link and header are right", async () => {
    const thread = AgentThread.empty(THREAD).appendEntries([...transcript(ENTRIES - 1), pin("p1")]);
    const again = new ThreadAddition(thread.position, thread.length, new Map(), () => undefined);
    for (const entry of transcript(3).slice(2)) again.add(entry);
    const [entry] = again.entries;
    if (entry?.type !== "message") throw new Error("the message is there");
    const { body, digest } = serializeEntry(entry);
    const { id, turn, step, ordinal } = entry.message;
    const place = `(1 << 32) + ${ENTRIES + 1}, 'message', '${id}', NULL, ${ordinal + 1}, ${turn}, ${step}`;
    const link = nextThreadLink(digests.at(-1) as string, digest);
    const findings = await findingsAfter(
      `INSERT INTO entries VALUES (${place}, '${digest}', '${link}', 0, '${body.replaceAll("'", "''")}')`,
    );
    expectFirst(findings, "entries", ENTRIES + 1);
    expect(findings[0]?.problem).toBe("its message is already entry 3");
  });

  it("finds a change to any column of a plan and names the first bad plan", async () => {
    const changes = [
      (at: number) => `UPDATE plans SET body = replace(body, 'oldest', 'newest') WHERE version = ${at}`,
      (at: number) => `UPDATE plans SET body = ' ' || body WHERE version = ${at}`,
      (at: number) => `UPDATE plans SET plan_id = 'other' WHERE version = ${at}`,
      (at: number) => `UPDATE plans SET thread_version = thread_version - 1 WHERE version = ${at}`,
      (at: number) => `UPDATE plans SET created_at = '2020' WHERE version = ${at}`,
      (at: number) => `UPDATE plans SET compacted_tokens = 1 WHERE version = ${at}`,
      (at: number) => `UPDATE plans SET body = ${bodyOf("plans", (at % 3) + 1)} WHERE version = ${at}`,
      (at: number) => `UPDATE plans SET body = '' WHERE version = ${at}`,
    ];
    for (const change of changes) for (const at of [1, 2, 3]) expectFirst(await findingsAfter(change(at)), "plans", at);
    expectFirst(await findingsAfter("DELETE FROM plans WHERE version = 2"), "plans", 2);
    expectFirst(await findingsAfter("DELETE FROM plans WHERE version = 3"), "plans", 3);
    expectFirst(await findingsAfter("DELETE FROM plans"), "plans", 1);
  });

  it("finds a change to any column of a journal entry and names the first bad one", async () => {
    const changes = [
      (at: number) => `UPDATE journal SET record = replace(record, '1', '9') WHERE sequence = ${at}`,
      (at: number) => `UPDATE journal SET record = '[' WHERE sequence = ${at}`,
      (at: number) => `UPDATE journal SET at = '2020' WHERE sequence = ${at}`,
      (at: number) => `UPDATE journal SET hash = 'x' WHERE sequence = ${at}`,
      (at: number) => `UPDATE journal SET previous_hash = 'x' WHERE sequence = ${at}`,
    ];
    for (const change of changes)
      for (const at of [1, 2, 4]) expectFirst(await findingsAfter(change(at)), "journal", at);
    expectFirst(await findingsAfter("DELETE FROM journal WHERE sequence = 2"), "journal", 2);
    expectFirst(await findingsAfter("UPDATE journal SET record_key = record_key + 6 WHERE sequence = 3"), "journal", 3);
  });

  it("finds an artifact whose content, tenant or size does not match its id", async () => {
    const changes = [
      "UPDATE artifact_contents SET content = x'00' WHERE artifact_key = 2",
      "UPDATE artifact_contents SET content = x'ff' WHERE artifact_key = 2",
      "DELETE FROM artifact_contents WHERE artifact_key = 2",
      "UPDATE artifacts SET tenant_id = 'other' WHERE artifact_key = 2",
      "UPDATE artifacts SET bytes = 1 WHERE artifact_key = 2",
    ];
    const [finding] = await findingsAfter(changes[0] as string);
    for (const change of changes) expectFirst(await findingsAfter(change), "artifacts", finding?.at ?? null);
    expect(finding?.at).toMatch(/^artifact_/);
  });

  it("finds triggers, views and indexes that are missing, changed or added", async () => {
    const problems = async (sql: string): Promise<readonly string[]> =>
      (await findingsAfter(sql, "everything")).map(({ family, problem }) => `${family}: ${problem}`);
    const bare = await findingsAfter("", "everything", { guards: "left off" });
    expect(bare.length).toBeGreaterThan(20);
    expect(bare).toContainEqual({
      family: "file",
      threadId: null,
      at: null,
      problem: "the trigger entries_no_delete is missing",
    });
    const smuggled = "CREATE TRIGGER smuggled AFTER INSERT ON entries BEGIN DELETE FROM receipts; END";
    expect(await problems(smuggled)).toEqual(["file: the trigger smuggled is not one of the store's"]);
    expect(await problems("CREATE VIEW looking AS SELECT body FROM entries")).toEqual([
      "file: the view looking is not one of the store's",
    ]);
    expect(await problems("DROP INDEX entries_by_pin")).toEqual(["file: the index entries_by_pin is missing"]);
    const loosened = "DROP INDEX entries_by_pin; CREATE INDEX entries_by_pin ON entries (thread_key)";
    expect(await problems(loosened)).toEqual(["file: the index entries_by_pin is not the one that the store creates"]);
  });

  it("finds a missing trigger after search was used, and nothing wrong after SQLite's ANALYZE", async () => {
    const path = join(folder, "searched.db");
    copyFileSync(join(folder, "intact.db"), path);
    const store = await openSqliteStore(path);
    const thread = await store.threads.load(THREAD);
    await store.recall?.index(THREAD, thread?.messagesBetween(0) ?? []);
    const raw = new DatabaseSync(path);
    raw.exec("ANALYZE");
    expect(await verifyStore(store)).toEqual([]);
    raw.exec("DROP TRIGGER recall_passages_not_erased");
    expect((await verifyStore(store)).map(({ problem }) => problem)).toEqual([
      "the trigger recall_passages_not_erased is missing",
    ]);
    raw.close();
    await store.close();
  });

  it("finds append receipts that refer to entries the thread does not have", async () => {
    const key = "(SELECT thread_key FROM threads)";
    const digest = "'".concat("0".repeat(64), "'");
    const receipt = (request: string, version: number, appended: number): string =>
      `INSERT INTO receipts VALUES (${key}, 'k', ${request}, ${version}, ${appended})`;
    expect(await findingsAfter(receipt(digest, ENTRIES, 1), "everything")).toEqual([]);
    for (const forged of [
      receipt(digest, ENTRIES + 1, 1),
      receipt(digest, 2, 3),
      receipt(digest, 2, -1),
      receipt("''", 2, 1),
      receipt("'anything'", 2, 1),
    ]) {
      const findings = await findingsAfter(forged, "everything");
      expect(findings.map(({ family, problem }) => `${family}: ${problem}`)).toEqual([
        "file: 1 of the append receipts refer to entries that the thread does not have",
      ]);
    }
  });

  it("cannot find the removal of an artifact that no journal names, or of a whole thread", async () => {
    const ofArtifact = "WHERE artifact_key = (SELECT max(artifact_key) FROM artifacts)";
    const artifact = ["artifact_contents", "artifacts"].map((table) => `DELETE FROM ${table} ${ofArtifact}`).join(";");
    expect(await findingsAfter(artifact, "everything")).toEqual([]);
    const raw = new DatabaseSync(join(folder, "intact.db"), { readOnly: true });
    const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
    raw.close();
    // The only thread of the file.
    const thread = tables.map(({ name }) => `DELETE FROM ${name}`).join(";");
    expect(await findingsAfter(thread, "everything")).toEqual([]);
  });

  it("refuses options that make no sense, as do checks of a checkpoint and of an audit file", async () => {
    const store = createMemoryStore();
    const refused = (option?: string) => ({
      code: "INVALID_CONFIG",
      ...(option !== undefined && { details: { name: option } }),
    });
    for (const id of ["", null, 7]) await expect(verifyStore(store, id as never)).rejects.toMatchObject(refused());
    for (const [option, value] of [
      ["clock", new Date()],
      ["segments", 7],
      ["onThread", 7],
      ["onSegment", "x"],
      ["signal", 7],
    ] as const)
      await expect(verifyStore(store, undefined, { [option]: value })).rejects.toMatchObject(refused(option));
    await expect(verifyStore(store, undefined, null as never)).rejects.toMatchObject(refused("options"));
    for (const none of [undefined, null, "x", {}, Promise.resolve(store)]) {
      await expect(verifyStore(none as never)).rejects.toMatchObject(refused("store"));
      await expect(exportThread(none as never, THREAD)).rejects.toMatchObject(refused("store"));
      await expect(archiveThread(none as never, THREAD, { to: "file:x" })).rejects.toMatchObject(refused());
    }
    for (const [option, options] of [
      ["options", null],
      ["clock", { clock: 7 }],
      ["clok", { clok: {} }],
    ] as const)
      expect(() => createMemoryStore(options as never)).toThrow(expect.objectContaining(refused(option)));
    for (const checkpoint of [undefined, null, {}, "x"])
      await expect(verifySince(store, checkpoint as never)).rejects.toMatchObject(refused("checkpoint"));
    for (const [option, value] of [
      ["publicKey", ""],
      ["publicKey", 7],
      ["since", {}],
      ["onLine", 7],
    ] as const)
      await expect(verifyAudit([], { [option]: value } as never)).rejects.toMatchObject(refused(option));
    await expect(verifyAudit([], null as never)).rejects.toMatchObject(refused("trust"));
    for (const chunks of ["{}", undefined, 7])
      await expect(verifyAudit(chunks as never)).rejects.toMatchObject(refused("chunks"));
    for (const [option, options] of [
      ["options", undefined],
      ["sign", { at: "2026-01-01T00:00:00.000Z", sign: 7 }],
    ] as const)
      await expect(makeCheckpoint(store, "t" as never, options as never)).rejects.toMatchObject(refused(option));
  });

  it("fails with THREAD_NOT_FOUND for a thread that does not exist", async () => {
    const message = "There is no thread nobody in the store.";
    await expect(verifyStore(createMemoryStore(), asThreadId("nobody"))).rejects.toMatchObject({
      code: "THREAD_NOT_FOUND",
      message,
    });
  });

  it("finds tampering in several families at once, and rows whose thread is gone", async () => {
    const all =
      "UPDATE entries SET body = '[]'; UPDATE plans SET body = '[]'; UPDATE journal SET hash = ''; UPDATE artifact_contents SET content = x'00';";
    expect((await findingsAfter(all)).map(({ family }) => family)).toEqual([
      "entries",
      "plans",
      "journal",
      "artifacts",
    ]);
    const orphans = await findingsAfter("DELETE FROM threads", "everything");
    expect(orphans.map(({ family }) => family)).toEqual(["file", "file", "file", "file"]);
  });
});

describe("R11 verifyStore finds nothing wrong with a thread that grows while it is read", () => {
  it("whatever another writer appends, commits and records between any two readings", async () => {
    const store = createMemoryStore();
    const { inspector } = store;
    let entries = 0;
    let plans = 0;
    const grow = async (): Promise<void> => {
      await store.threads.append(THREAD, transcript(entries + 2).slice(entries), { expectedVersion: entries });
      entries += 2;
      const thread = await store.threads.load(THREAD);
      if (thread === null) throw new Error("the thread is there");
      const threadDigest = thread.digest;
      await store.journal.append(THREAD, { type: "entries-appended", threadVersion: entries, threadDigest }, START);
      plans += 1;
      const plan = dropPlan(thread.messagesBetween(0, entries), { version: plans, threadVersion: entries });
      await store.plans.commitPlan(THREAD, plan, plans - 1);
      const { planId } = plan;
      const record = { type: "plan-committed", planVersion: plans, planId, diffDigest: planId } as const;
      await store.journal.append(THREAD, record, START);
    };
    async function* growing<Row>(read: () => AsyncIterable<Row>): AsyncIterable<Row> {
      await grow();
      yield* read();
      await grow();
    }
    const busy: StoreInspector = {
      threadIds: () => inspector.threadIds(),
      entries: (threadId) => growing(() => inspector.entries(threadId)),
      plans: (threadId) => growing(() => inspector.plans(threadId)),
      journal: (threadId) => growing(() => inspector.journal(threadId)),
      artifacts: (threadId) => growing(() => inspector.artifacts(threadId)),
      damage: () => inspector.damage(),
    };
    await grow();
    expect(await verifyStore({ ...store, inspector: busy } as InspectableStore)).toEqual([]);
    expect(plans).toBeGreaterThan(8);
  });
});

describe("R28 a damaged store file", () => {
  it("yields a typed error or findings when its thread is damaged, and never an altered thread", async () => {
    const intact = readFileSync(join(folder, "intact.db"));
    const path = join(folder, "damaged.db");
    const outcomes = { unharmed: 0, detected: 0 };
    const damage = fc.record({
      at: fc.integer({ min: 1, max: intact.length - 1 }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
      cut: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, bytes, cut }) => {
        const image = Buffer.from(intact);
        Buffer.from(bytes).copy(image, at);
        writeFileSync(path, cut ? image.subarray(0, at) : image);
        outcomes[(await isUnharmed(path)) ? "unharmed" : "detected"]++;
      }),
      { ...runs(500), seed: 20_250_101 },
    );
    expect(outcomes.detected).toBeGreaterThan(250);
  });
});

/** True when the store still gives the whole thread and finds nothing wrong; false when it says that something is. */
async function isUnharmed(path: string): Promise<boolean> {
  try {
    const store = await openSqliteStore(path);
    try {
      const findings = await verifyStore(store);
      const thread = await store.threads.load(THREAD);
      // A page that lost its last rows looks like a thread that is not as long yet: verifying finds that, loading cannot.
      if (thread !== null) expect(digests).toContain(thread.digest);
      if (findings.length === 0) expect(thread?.digest).toBe(digests.at(-1));
      return findings.length === 0;
    } finally {
      await store.close();
      for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
    }
  } catch (error) {
    if (!ThreadfoldError.isInstance(error)) throw error;
    expect(["STORE_CORRUPT", "STORE_FOREIGN", "STORE_UNAVAILABLE"]).toContain(error.code);
    return false;
  }
}

describe("a damaged index that leads in a circle", () => {
  /** The artifacts of a thread under keys that are not theirs: the third leads to the first, and that to the third. */
  const circle = `
    DROP INDEX artifacts_by_thread;
    CREATE INDEX artifacts_by_thread ON artifacts (thread_key, 5 - artifact_key);
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = 'CREATE INDEX artifacts_by_thread ON artifacts (thread_key, artifact_key)'
      WHERE name = 'artifacts_by_thread';`;

  it("is reported with its thread, and the rest of the store is still checked", async () => {
    const findings = await findingsAfter(circle, "everything");
    expect(findings.filter(({ family }) => family !== "file")).toEqual([
      {
        family: "artifacts",
        threadId: THREAD,
        at: null,
        problem: expect.stringMatching(
          /it cannot be read: The artifacts of thread thread-a are out of order: \d follows \d/,
        ),
      },
    ]);
    expect(findings).toContainEqual(expect.objectContaining({ family: "file" }));
  });

  it("makes an export and an erasure of the thread fail with an error that says where", async () => {
    await findingsAfter(circle);
    const store = await openSqliteStore(join(folder, "tampered.db"));
    const exported = async (): Promise<void> => {
      for await (const _line of exportAudit(store, THREAD, { at: START }));
    };
    const damaged = { code: "STORE_CORRUPT", message: expect.stringContaining("out of order") };
    await expect(exported()).rejects.toMatchObject(damaged);
    const why = { actor: "a", reason: "r", at: START };
    await expect(eraseSubject(store, THREAD, { ...why, dryRun: true })).rejects.toMatchObject(damaged);
    await store.close();
  });
});

describe("a long verification", () => {
  const open = (): Promise<InspectableStore & ErasableStore> => openSqliteStore(join(folder, "intact.db"));

  it("lets the event loop run meanwhile", async () => {
    const store = await open();
    const order: string[] = [];
    setImmediate(() => order.push("a turn of the process"));
    await verifyStore(store).then(() => order.push("checked"));
    expect(order).toEqual(["a turn of the process", "checked"]);
    await store.close();
  });

  it("ends with ABORTED when its signal aborts, as do an export, an erasure and a checkpoint", async () => {
    const store = await open();
    const aborting = (): { readonly signal: AbortSignal } => {
      const controller = new AbortController();
      setImmediate(() => controller.abort());
      return controller;
    };
    const why = { actor: "a", reason: "r", at: START };
    const exported = async (): Promise<void> => {
      for await (const _line of exportAudit(store, THREAD, { at: START, signal: aborting().signal }));
    };
    for (const work of [
      () => verifyStore(store, undefined, { signal: aborting().signal }),
      () => verifyStore(store, THREAD, { signal: aborting().signal }),
      () => eraseSubject(store, THREAD, { ...why, signal: aborting().signal }),
      () => makeCheckpoint(store, THREAD, { at: START, signal: aborting().signal }),
      exported,
    ])
      await expect(work()).rejects.toMatchObject({ code: "ABORTED" });
    expect(await store.eraser.isErased(THREAD)).toBe(false);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });

  it("reports each thread that it checks", async () => {
    const store = await open();
    const threads: ThreadId[] = [];
    await verifyStore(store, undefined, { onThread: (threadId) => void threads.push(threadId) });
    expect(threads).toEqual([THREAD]);
    await store.close();
  });
});
