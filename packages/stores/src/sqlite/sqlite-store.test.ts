import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { asArtifactId, asThreadId } from "@threadfold/core";
import { keepLaws } from "@threadfold/core/laws";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { START } from "../laws/sample-data.ts";
import { storeLaws } from "../laws/store-laws.ts";
import { plant, threadOf } from "../testing/canaries.ts";
import { withoutGuards } from "../testing/without-guards.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const artifactId = asArtifactId(`sha256:${"a".repeat(64)}`);
let folder = "";
const statements = new Set<string>();
beforeAll(() => {
  const prepare = DatabaseSync.prototype.prepare;
  vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, sql, ...options) {
    statements.add(sql);
    return prepare.call(this, sql, ...options);
  });
});
afterAll(() => void vi.restoreAllMocks());

keepLaws(
  "SQLite store",
  storeLaws({
    open: async (options) => {
      folder = mkdtempSync(join(tmpdir(), "threadfold-"));
      return openSqliteStore(join(folder, "store.db"), options);
    },
    reopen: async (options) => openSqliteStore(join(folder, "store.db"), options),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  }),
  { describe, it },
);

describe("the journal of a SQLite store", () => {
  it("R28 refuses to return an entry of which any one character was changed", async () => {
    const root = mkdtempSync(join(tmpdir(), "threadfold-"));
    const [path, threadId] = [join(root, "store.db"), asThreadId("t")];
    const usage = { inputTokens: 12, outputTokens: 3 };
    const whole = await openSqliteStore(path);
    for (const requestSequence of [1, 2])
      await whole.journal.append(threadId, { type: "usage-reported", requestSequence, usage }, START);
    await whole.close();
    const raw = new DatabaseSync(path);
    const record = String(raw.prepare("SELECT record FROM journal WHERE sequence = 1").get()?.["record"]);
    for (let place = 0; place < record.length; place++) {
      const other = `${record.slice(0, place)}${record[place] === "1" ? "4" : "1"}${record.slice(place + 1)}`;
      withoutGuards(raw, () => raw.prepare("UPDATE journal SET record = ? WHERE sequence = 1").run(other));
      const damaged = await openSqliteStore(path);
      await expect(damaged.journal.read(threadId), other).rejects.toMatchObject({ code: "STORE_CORRUPT" });
      expect(await damaged.journal.read(threadId, { after: 1 })).toHaveLength(1);
      await damaged.close();
    }
    raw.close();
    rmSync(root, { recursive: true });
  });
});

describe("the room that the journal of a SQLite store takes", () => {
  it("is its text and at most half as much again, however long its records are", async () => {
    const root = mkdtempSync(join(tmpdir(), "threadfold-"));
    const bytesOf = async (requesterId: string, records: number): Promise<number> => {
      const path = join(root, `${requesterId.length}-${records}.db`);
      const store = await openSqliteStore(path);
      const record = { type: "artifact-read" as const, artifactId, requesterId, automatic: false };
      for (let count = 0; count < records; count++) await store.journal.append(asThreadId("t"), record, START);
      await store.close();
      return statSync(path).size;
    };
    for (const length of [100, 400, 700, 800, 1_000, 1_500]) {
      const reader = "r".repeat(length);
      const bytes = ((await bytesOf(reader, 220)) - (await bytesOf(reader, 20))) / 200;
      // What a record says beside its reader, its time and two hashes.
      expect(bytes, `a reader of ${length} bytes`).toBeLessThan(1.5 * (length + 298));
    }
    rmSync(root, { recursive: true });
  });
});

describe("the statements of a SQLite store", () => {
  it("bind their values either by position or by name, never by number", async () => {
    folder = mkdtempSync(join(tmpdir(), "threadfold-"));
    const store = await openSqliteStore(join(folder, "store.db"));
    await plant(store, 1);
    await store.recall?.search(threadOf(1), { text: "canary1x1zq" });
    await store.eraser.erase(threadOf(1));
    await store.eraser.sweep(0);
    await store.close();
    rmSync(folder, { recursive: true, force: true });
    expect(statements.size).toBeGreaterThan(40);
    for (const sql of statements) {
      expect(sql, "numbers its values").not.toMatch(/\?\d/);
      expect(/\?/.test(sql) && /:[a-z]/i.test(sql), `${sql} takes values in order and by name`).toBe(false);
    }
  });
});
