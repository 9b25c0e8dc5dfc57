import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asThreadId, type ThreadId } from "@threadfold/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dropPlan, entry, pin, START_MS, transcript } from "../conformance/sample-data.ts";
import { queryPlan } from "../testing/query-plan.ts";
import { openConnection } from "./open-connection.ts";
import { SqliteConnection, type SqlQuery, type SqlValues } from "./sqlite-connection.ts";
import { SqlitePlans } from "./sqlite-plans.ts";
import { SqliteRanges } from "./sqlite-ranges.ts";
import { SqliteThreads } from "./sqlite-threads.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "threadfold-"))));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

describe("P9 the cost of going on with a thread", () => {
  it("does not grow with what the plan hides: the same statements read the same number of rows, each by an index", async () => {
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
