import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keepLaws } from "@threadfold/core/laws";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { storeLaws } from "../laws/store-laws.ts";
import { plant, threadOf } from "../testing/canaries.ts";
import { openSqliteStore } from "./sqlite-store.ts";

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

describe("the statements of a SQLite store", () => {
  it("take their values in order or by name, which all versions of Node agree on, and none by number", async () => {
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
