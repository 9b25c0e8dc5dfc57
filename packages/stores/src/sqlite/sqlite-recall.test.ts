import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RecallIndex, ThreadfoldStore } from "@threadfold/core";
import { keepLaws, recallLaws } from "@threadfold/core/laws";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { START_MS, THREAD, transcript } from "../laws/sample-data.ts";
import { SqliteEraser } from "./inspect-and-erase.ts";
import { openConnection } from "./open-connection.ts";
import { query } from "./sqlite-connection.ts";
import { SqliteRecall } from "./sqlite-recall.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { SqliteThreads } from "./sqlite-threads.ts";

const hasFullTextSearch =
  new DatabaseSync(":memory:").prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined;

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

keepLaws(
  "recall in SQLite",
  recallLaws(() => ({
    index: store.recall as RecallIndex,
    keep: async (thread) => {
      await store.threads.append(thread.id, thread.entriesBetween(0), { expectedVersion: "any" });
    },
  })),
  { describe, it },
);

describe("recall in SQLite", () => {
  it("finds through another connection what was indexed, and indexing it again changes nothing", async () => {
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

  it("R23 refuses to index messages of an erased thread and keeps none of their words", async () => {
    const connection = await openConnection(join(folder, "raced.db"));
    const threads = new SqliteThreads(connection, { now: () => START_MS });
    await threads.append(THREAD, transcript(2), { expectedVersion: "no-thread" });
    const remembered = (await threads.load(THREAD))?.messages ?? [];
    const recall = new SqliteRecall(connection);
    await new SqliteEraser(connection).erase(THREAD);
    await expect(recall.index(THREAD, remembered)).rejects.toThrow("the thread was erased");
    expect(connection.all(query<{ n: number }>("SELECT 1 AS n FROM recall_passages", { n: "integer" }))).toEqual([]);
    connection.close();
  });

  it.skipIf(!hasFullTextSearch)(
    `replaces the index of an earlier version with a new one${hasFullTextSearch ? "" : " (skipped: this Node cannot make one)"}`,
    async () => {
      await store.threads.append(THREAD, transcript(8), { expectedVersion: "no-thread" });
      const messages = (await store.threads.load(THREAD))?.messages ?? [];
      await store.recall?.index(THREAD, messages);
      await store.close();
      const path = join(folder, "store.db");
      const raw = new DatabaseSync(path);
      raw.exec("DROP TABLE recall_words; CREATE VIRTUAL TABLE recall_terms USING fts5(terms, content='')");
      raw.exec("INSERT INTO recall_terms (rowid, terms) VALUES (1, 'forgotten')");
      raw.close();
      store = await openSqliteStore(path);
      expect((await store.recall?.search(THREAD, { text: "text" }))?.total).toBe(0);
      await store.recall?.index(THREAD, messages);
      expect((await store.recall?.search(THREAD, { text: "text" }))?.total).toBe(8);
      const again = new DatabaseSync(path);
      expect(again.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'recall_terms%'").all()).toEqual([]);
      again.close();
    },
  );
});
