import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dropPlan, entry, lift, message, pin, START_MS, THREAD, transcript } from "../conformance/sample-data.ts";
import { queryPlan } from "../testing/query-plan.ts";
import { openConnection } from "./open-connection.ts";
import { SqliteConnection, type SqlQuery, type SqlValues } from "./sqlite-connection.ts";
import { SqlitePlans } from "./sqlite-plans.ts";
import { SqliteThreads } from "./sqlite-threads.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "threadfold-"))));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

describe("P9 the cost of an append and of a commit", () => {
  it("does not grow with the thread: the statements are the same ones, and each looks up what it needs by an index", async () => {
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
