import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asThreadId, sealPlan, serializePlan, type ThreadId } from "@threadfold/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dropPlan, entry, lift, message, pin, START_MS, THREAD, transcript } from "../laws/sample-data.ts";
import { EntryLog } from "./entry-log.ts";
import { SqliteInspector } from "./inspect-and-erase.ts";
import { openConnection } from "./open-connection.ts";
import { query, SqliteConnection, type SqlQuery, type SqlValues } from "./sqlite-connection.ts";
import { SqlitePlans } from "./sqlite-plans.ts";
import { SqliteRanges, SqliteThreads } from "./sqlite-threads.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "threadfold-"))));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

describe("P9 the cost of an append and of a commit", () => {
  it("does not grow with the thread: the statements stay the same, and each uses an index", async () => {
    const connection = await openConnection(join(folder, "store.db"));
    const clock = { now: () => START_MS };
    const threads = new SqliteThreads(connection, clock);
    const plans = new SqlitePlans(connection, clock);
    const append = async (number: number): Promise<void> => {
      const entries = [entry(number), pin(`p${number}`), lift(`p${number}`)];
      await threads.append(THREAD, entries, { expectedVersion: "any", idempotencyKey: `key ${number}` });
    };
    const statements: string[] = [];
    for (const method of ["get", "all", "run"] as const) {
      const original = SqliteConnection.prototype[method] as (asked: never, ...values: readonly never[]) => never;
      vi.spyOn(SqliteConnection.prototype, method).mockImplementation(function (
        this: SqliteConnection,
        asked: string | SqlQuery<unknown>,
        ...values: SqlValues
      ) {
        statements.push(typeof asked === "string" ? asked : asked.sql);
        return original.call(this, asked as never, ...(values as never[]));
      });
    }
    const recorded = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
      statements.length = 0;
      await work();
      return [...statements];
    };
    await threads.append(THREAD, transcript(10), { expectedVersion: 0 });
    await threads.load(THREAD);
    const early = await recorded(() => append(1_000));
    await threads.append(THREAD, transcript(300), { expectedVersion: "any" });
    const late = await recorded(() => append(1_001));
    expect(late).toEqual(early);

    const plan = dropPlan([{ id: message(0).id, turn: 1 }], { version: 1, threadVersion: 5 });
    const committing = await recorded(() => plans.commitPlan(THREAD, plan, 0));
    vi.restoreAllMocks();
    for (const sql of new Set([...late, ...committing])) {
      // The plan of an insert also shows checks of foreign keys that are skipped unless one is violated.
      if (!sql.startsWith("SELECT")) continue;
      for (const step of queryPlan(connection, sql)) expect(step, sql).not.toMatch(/^SCAN|USE TEMP B-TREE/);
    }
    connection.close();
  });
});

describe("P9 the cost of a commit on top of an earlier plan", () => {
  it("does not grow with what that plan hid: only the ends of what is known are looked up", async () => {
    const connection = await openConnection(join(folder, "store.db"));
    const clock = { now: () => START_MS };
    const [threads, plans] = [new SqliteThreads(connection, clock), new SqlitePlans(connection, clock)];
    let lookups = 0;
    const { placeOf } = EntryLog.prototype;
    vi.spyOn(EntryLog.prototype, "placeOf").mockImplementation(function (this: EntryLog, ...asked) {
      lookups++;
      return placeOf.apply(this, asked);
    });
    /** Commits a plan that hides all but a few messages, and another that hides the same; counts lookups of both. */
    const committed = async (messages: number): Promise<readonly [first: number, second: number]> => {
      const threadId = asThreadId(`of-${messages}`);
      await threads.append(threadId, transcript(messages), { expectedVersion: 0 });
      const hidden = (await threads.load(threadId))?.messagesBetween(2, messages - 4) ?? [];
      const plan = dropPlan(hidden, { version: 1, threadVersion: messages, threadId });
      lookups = 0;
      await plans.commitPlan(threadId, plan, 0);
      const first = lookups;
      await plans.commitPlan(threadId, sealPlan({ ...plan, version: 2 }), 1);
      expect(await plans.getPlan(threadId, 2)).toEqual(sealPlan({ ...plan, version: 2 }));
      return [first, lookups - first];
    };
    const [[few, fewAgain], [many, manyAgain]] = [await committed(40), await committed(1_000)];
    expect([few, many]).toEqual([34, 994]);
    expect([fewAgain, manyAgain]).toEqual([2, 2]);
    connection.close();
  });

  it("looks up all messages of a list that was made for another thread", async () => {
    const connection = await openConnection(join(folder, "store.db"));
    const clock = { now: () => START_MS };
    const [threads, plans] = [new SqliteThreads(connection, clock), new SqlitePlans(connection, clock)];
    const other = asThreadId("other");
    await threads.append(THREAD, transcript(20), { expectedVersion: 0 });
    // The same ids, one place later.
    await threads.append(other, [entry(900), ...transcript(20)], { expectedVersion: 0 });
    const hidden = (await threads.load(THREAD))?.messagesBetween(2, 16) ?? [];
    const plan = dropPlan(hidden, { version: 1, threadVersion: 20 });
    await plans.commitPlan(THREAD, plan, 0);
    const moved = sealPlan({ ...plan, threadId: other });
    await plans.commitPlan(other, moved, 0);
    expect(await plans.getPlan(other, 1)).toEqual(moved);
    const beyond = sealPlan({ ...plan, threadId: other, version: 2, threadVersion: 10 });
    await expect(plans.commitPlan(other, beyond, 1)).rejects.toMatchObject({
      code: "INVALID_PLAN",
      message: expect.stringContaining("the thread has no message m9 at version 10"),
    });
    connection.close();
  });
});

describe("P9 the cost of resuming a thread", () => {
  it("does not grow with what the plan hides: the same statements read the same number of rows by an index", async () => {
    const connection = await openConnection(join(folder, "store.db"));
    const clock = { now: () => START_MS };
    const [threads, plans] = [new SqliteThreads(connection, clock), new SqlitePlans(connection, clock)];
    const ranges = new SqliteRanges(connection);
    /** A thread of so many messages and a pin, of which a plan drops all but the first two and the last four. */
    const folded = async (messages: number): Promise<ThreadId> => {
      const threadId = asThreadId(`of-${messages}`);
      await threads.append(threadId, [...transcript(messages), pin("kept")], { expectedVersion: 0 });
      const thread = await threads.load(threadId);
      const hidden = thread?.messagesBetween(2, messages - 4) ?? [];
      await plans.commitPlan(threadId, dropPlan(hidden, { version: 1, threadVersion: messages + 1, threadId }), 0);
      await threads.append(threadId, [entry(messages)], { expectedVersion: "any" });
      return threadId;
    };
    const [short, long] = [await folded(40), await folded(1_000)];

    const statements: string[] = [];
    let rows = 0;
    for (const method of ["get", "all"] as const) {
      const original = SqliteConnection.prototype[method] as (asked: never, ...values: readonly never[]) => never;
      vi.spyOn(SqliteConnection.prototype, method).mockImplementation(function (
        this: SqliteConnection,
        asked: string | SqlQuery<unknown>,
        ...values: SqlValues
      ) {
        const found = original.call(this, asked as never, ...(values as never[])) as unknown;
        statements.push(typeof asked === "string" ? asked : asked.sql);
        rows += Array.isArray(found) ? found.length : 1;
        return found as never;
      });
    }
    const resumed = async (threadId: ThreadId) => {
      statements.length = rows = 0;
      const found = await ranges.resume(threadId);
      expect(found?.thread.isWhole).toBe(false);
      expect((await ranges.loadPlan(threadId, 1))?.planId).toBe(found?.plan.planId);
      return { statements: [...statements], rows, held: [...(found?.thread.entriesInMemory() ?? [])].length };
    };
    for (const threadId of [short, long]) await resumed(threadId);
    const [first, second] = [await resumed(short), await resumed(long)];
    expect(second).toEqual(first);
    expect(second.held).toBe(2 + 1 + 4 + 1 + 1);
    vi.restoreAllMocks();
    for (const sql of new Set(second.statements)) {
      for (const step of queryPlan(connection, sql)) {
        expect(step, sql).not.toMatch(/^SCAN|USE TEMP B-TREE/);
        // A search by nothing but the thread walks all of it; one in the index of pins walks its pins.
        if (!sql.includes("FROM plans")) expect(step, sql).not.toMatch(/PRIMARY KEY \(thread_key=\?\)$/);
      }
    }
    connection.close();
  });
});

describe("the cost of reading every plan of a thread", () => {
  it("includes each hidden message once, however many plans hide it and in whatever order", async () => {
    const connection = await openConnection(join(folder, "store.db"));
    const clock = { now: () => START_MS };
    const plans = new SqlitePlans(connection, clock);
    await new SqliteThreads(connection, clock).append(THREAD, transcript(200), { expectedVersion: 0 });
    const thread = await new SqliteThreads(connection, clock).load(THREAD);
    // From a late part first: what stands before it has to be read as well then.
    const hidden = [[100, 140], [100, 150], ...Array.from({ length: 20 }, (_, n) => [20, 150 + n])] as const;
    for (const [index, [from, to]] of hidden.entries()) {
      const messages = thread?.messagesBetween(from as number, to as number) ?? [];
      await plans.commitPlan(THREAD, dropPlan(messages, { version: index + 1, threadVersion: 200 }), index);
    }
    let ids = 0;
    const all = SqliteConnection.prototype.all as (asked: never, ...values: readonly never[]) => unknown;
    vi.spyOn(SqliteConnection.prototype, "all").mockImplementation(function (this: SqliteConnection, ...asked) {
      const rows = all.call(this, ...(asked as never as [never])) as readonly object[];
      ids += rows.filter((row) => "ordinal" in row).length;
      return rows as never;
    });
    const bodies: (string | null)[] = [];
    for await (const { body } of new SqliteInspector(connection).plans(THREAD)) bodies.push(body);
    vi.restoreAllMocks();
    // 100 to 149, and then 20 to 168.
    expect(ids).toBe(50 + 149);
    for (const [index, body] of bodies.entries()) {
      const plan = await plans.getPlan(THREAD, index + 1);
      expect(body).toBe(plan && serializePlan(plan));
    }
    connection.close();
  });
});

/** How SQLite would run a statement: one line for each search, scan and sort. */
function queryPlan(connection: SqliteConnection, sql: string): readonly string[] {
  const names = sql.match(/:[a-zA-Z]+/g) ?? [];
  const values =
    names.length > 0
      ? [Object.fromEntries(names.map((name) => [name, 1]))]
      : Array.from(sql.match(/\?/g) ?? [], () => 1);
  const explained = query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, { detail: "text" });
  return connection.all(explained, ...(values as number[])).map(({ detail }) => detail);
}
