import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dropPlan, entry, message, metadata, OTHER_THREAD, START, THREAD, transcript } from "../laws/sample-data.ts";
import { isLocked, SqliteConnection } from "./sqlite-connection.ts";
import { openSqliteStore } from "./sqlite-store.ts";

type Store = Awaited<ReturnType<typeof openSqliteStore>>;

let folder: string;
let path: string;
let store: Store;
let other: DatabaseSync;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-"));
  path = join(folder, "store.db");
  store = await openSqliteStore(path);
  await store.threads.append(THREAD, transcript(8), { expectedVersion: 0 });
  other = new DatabaseSync(path);
});
afterEach(async () => {
  other.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Turns that the process takes while somebody else holds the lock. */
const TURNS = 20;

/** Whether the process went on while a call waited for the lock, and what the call gave once it was free. */
async function whileLocked<Result>(call: () => Promise<Result>): Promise<Result> {
  other.exec("BEGIN IMMEDIATE");
  let isDone = false;
  const result = call().finally(() => (isDone = true));
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
  expect(isDone).toBe(false);
  other.exec("COMMIT");
  return result;
}

describe("while another process holds the write lock, this process keeps running and waits for its turn with", () => {
  const plan = dropPlan([{ id: message(0).id as never, turn: 1 }], { version: 1, threadVersion: 8 });
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "an append of one message": () => store.threads.append(THREAD, [entry(8)], { expectedVersion: 8 }),
    "an append of several": () => store.threads.append(THREAD, [entry(8), entry(9)], { expectedVersion: 8 }),
    "a new thread": () => store.threads.append(OTHER_THREAD, [entry(0)], { expectedVersion: "no-thread" }),
    "a plan": () => store.plans.commitPlan(THREAD, plan, 0),
    "an artifact": () => store.artifacts.store("content", metadata()),
    "a journal entry": () =>
      store.journal.append(THREAD, { type: "entries-appended", threadVersion: 8, threadDigest: "0" }, START),
    "words for search": async () => store.recall?.index(THREAD, (await store.threads.load(THREAD))?.messages ?? []),
    "an erasure": () => store.eraser.erase(THREAD),
    "a sweep": () => store.eraser.sweep(0),
  };
  for (const [name, call] of Object.entries(calls)) {
    it(name, async () => {
      await expect(whileLocked(call)).resolves.not.toBeInstanceOf(Error);
    });
  }

  it("the creation of a store", async () => {
    other.close();
    path = join(folder, "new.db");
    other = new DatabaseSync(path);
    await (await whileLocked(() => openSqliteStore(path))).close();
  });
});

it("calls that wait for the lock run in the order they were made", async () => {
  const appended = await whileLocked(() =>
    Promise.all(
      [8, 9, 10, 11].map((number) => store.threads.append(THREAD, [entry(number)], { expectedVersion: number })),
    ),
  );
  expect(appended.map(({ version }) => version)).toEqual([9, 10, 11, 12]);
});

it("a lock that is never released makes the waiting call fail with STORE_UNAVAILABLE", async () => {
  const connection: SqliteConnection = new SqliteConnection(new DatabaseSync(path), path, () => connection);
  other.exec("BEGIN IMMEDIATE");
  await expect(
    connection.whenFree(() => connection.write(() => connection.run("DELETE FROM receipts")), 20),
  ).rejects.toSatisfy((error) => isLocked(error) && (error as { code?: string }).code === "STORE_UNAVAILABLE");
  connection.close();
});

it("closing a store makes calls that wait for the lock fail with STORE_UNAVAILABLE", async () => {
  other.exec("BEGIN IMMEDIATE");
  const append = store.threads.append(THREAD, [entry(8)], { expectedVersion: 8 });
  await store.close();
  await expect(append).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", message: "The store is closed." });
});
