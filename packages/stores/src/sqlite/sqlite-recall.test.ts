import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecallIndex, ThreadfoldStore } from "@threadfold/core";
import { recallLaws } from "@threadfold/core/laws";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { START_MS, THREAD, transcript } from "../conformance/sample-data.ts";
import { openConnection } from "./open-connection.ts";
import { SqliteEraser } from "./sqlite-eraser.ts";
import { SqliteRecall } from "./sqlite-recall.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { SqliteThreads } from "./sqlite-threads.ts";

let folder: string;
let store: ThreadfoldStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-"));
  store = await openSqliteStore(join(folder, "store.db"));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("recall in SQLite", () => {
  for (const law of recallLaws)
    it(law.name, async () => {
      const problem = await law.broken(store.recall as RecallIndex, async (thread) => {
        await store.threads.append(thread.id, thread.entriesBetween(0), { expectedVersion: "any" });
      });
      expect(problem).toBeNull();
    });

  it("finds after reopening what was indexed before, by another handle, too", async () => {
    await store.threads.append(THREAD, transcript(8), { expectedVersion: "no-thread" });
    const other = await openSqliteStore(join(folder, "store.db"));
    try {
      const thread = await store.threads.load(THREAD);
      await store.recall?.index(THREAD, thread?.messages ?? []);
      const found = await store.recall?.search(THREAD, { text: "text" });
      expect(found?.total).toBe(8);
      expect(await other.recall?.search(THREAD, { text: "text" })).toEqual(found);
      await other.recall?.index(THREAD, thread?.messages ?? []);
      expect(await other.recall?.search(THREAD, { text: "text" })).toEqual(found);
    } finally {
      await other.close();
    }
  });

  it("R23 takes no words of an erased thread, whoever asked whether it may", async () => {
    const connection = openConnection(join(folder, "raced.db"));
    const threads = new SqliteThreads(connection, { now: () => START_MS });
    await threads.append(THREAD, transcript(2), { expectedVersion: "no-thread" });
    const remembered = (await threads.load(THREAD))?.messages ?? [];
    const recall = new SqliteRecall(connection);
    await new SqliteEraser(connection).erase(THREAD);
    await expect(recall.index(THREAD, remembered)).rejects.toThrow("the thread was erased");
    expect(connection.all("SELECT 1 FROM recall_passages")).toEqual([]);
    connection.close();
  });
});
