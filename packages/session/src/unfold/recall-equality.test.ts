import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AgentThread, type RecallIndex } from "@threadfold/core";
import { importSessionFile } from "@threadfold/importers";
import { MemoryRecallIndex, recallQuery } from "@threadfold/rehydration";
import { openSqliteStore } from "@threadfold/stores/sqlite";
import { describe, expect, it } from "vitest";

const recorded = resolve(
  process.env["THREADFOLD_DATA"] ?? join(import.meta.dirname, "../../../../../shared/data"),
  "pi/large-session.jsonl.gz",
);

describe.skipIf(!existsSync(recorded))("recall over a recorded session (needs THREADFOLD_DATA)", () => {
  it("gives the same hits in the same order from memory and from SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "threadfold-recall-"));
    const store = await openSqliteStore(join(folder, "store.db"));
    try {
      const { threadId, messages } = await importSessionFile(recorded);
      const thread = AgentThread.empty(threadId).append(messages.slice(0, 300));
      await store.threads.append(threadId, thread.entriesBetween(0), { expectedVersion: "no-thread" });
      const indexes: readonly RecallIndex[] = [new MemoryRecallIndex(), store.recall as RecallIndex];
      for (const index of indexes) await index.index(threadId, thread.messages);
      const queries = ["wrapTextWithAnsi", "theme colors schema", recallQuery(thread.messagesBetween(294))];
      for (const text of queries) {
        const [memory, sqlite] = await Promise.all(
          indexes.map((index) => index.search(threadId, { text, limit: 100 })),
        );
        expect(memory?.total).toBeGreaterThan(0);
        expect(sqlite).toEqual(memory);
      }
    } finally {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
