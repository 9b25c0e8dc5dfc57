import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ThreadfoldStore } from "@threadfold/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dropPlan, metadata, pin, START, THREAD, transcript } from "../laws/sample-data.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let folder: string;
let store: ThreadfoldStore;
let raw: DatabaseSync;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-"));
  const path = join(folder, "store.db");
  store = await openSqliteStore(path);
  await store.threads.append(THREAD, [...transcript(40), pin("p1")], { expectedVersion: 0, idempotencyKey: "key" });
  await store.plans.commitPlan(THREAD, dropPlan([], { version: 1, threadVersion: 4 }), 0);
  await store.artifacts.store("content", metadata());
  await store.journal.append(
    THREAD,
    { type: "usage-reported", requestSequence: 1, usage: { inputTokens: 1, outputTokens: 1 } },
    START,
  );
  // A connection as any other program would make it, with SQLite's defaults.
  raw = new DatabaseSync(path, { enableForeignKeyConstraints: false });
});
afterEach(async () => {
  raw.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const TABLES = ["threads", "entries", "message_places", "receipts", "plans", "journal", "artifact_contents"];
/** Columns that follow from others and that no statement can set. */
const GENERATED = { entries: ["thread_key", "version"], journal: ["thread_key", "sequence"] };

/** All rows of a table, in the form in which they are compared. */
const rows = (table: string): string => JSON.stringify(raw.prepare(`SELECT * FROM ${table}`).all());

describe("R10 raw SQL on a SQLite store", () => {
  it("changes no row of an append-only table with UPDATE, DELETE or REPLACE", () => {
    for (const table of TABLES) {
      const before = rows(table);
      expect(JSON.parse(before).length, table).toBeGreaterThan(0);
      const generated = table in GENERATED ? GENERATED[table as keyof typeof GENERATED] : [];
      const columns = Object.keys((JSON.parse(before) as object[])[0] as object).filter(
        (column) => !generated.includes(column),
      );
      const statements = [
        `DELETE FROM ${table}`,
        `REPLACE INTO ${table} SELECT ${columns.join()} FROM ${table}`,
        ...columns.map((column) => `UPDATE ${table} SET ${column} = ${column}`),
      ];
      for (const sql of statements) expect(() => raw.exec(sql), sql).toThrow(/append-only|grows by one/);
      expect(rows(table)).toBe(before);
    }
  });

  it("cannot insert an entry again under another version or skip a version", () => {
    const copy = (columns: string): string =>
      `REPLACE INTO entries SELECT ${columns}, messages, turn, step, digest, link, appended_at, body FROM entries WHERE version = 4`;
    expect(() => raw.exec(copy("entry_key + 38, kind, message_id, pin_id"))).toThrow("append-only");
    for (const key of ["entry_key", "entry_key + 39", "entry_key - 4", "NULL", "9 << 32"]) {
      expect(() => raw.exec(copy(`${key}, kind, 'm999', pin_id`)), key).toThrow(/grows by one|CHECK constraint/);
    }
  });

  it("cannot insert a record of the journal again under another sequence or skip one", () => {
    for (const key of ["record_key", "record_key + 2", "record_key - 1", "NULL", "9 << 32"]) {
      const copy = `REPLACE INTO journal SELECT ${key}, at, record, previous_hash, hash FROM journal`;
      expect(() => raw.exec(copy), key).toThrow(/grows by one|CHECK constraint/);
    }
  });

  it("may change an artifact's sensitivity but not its identity, media type or size, nor delete it", () => {
    for (const column of ["artifact_key", "artifact_id", "thread_key", "tenant_id", "media_type", "bytes"]) {
      expect(() => raw.exec(`UPDATE artifacts SET ${column} = ${column}`)).toThrow("keep what they are");
    }
    expect(() => raw.exec("DELETE FROM artifacts")).toThrow("kept");
    expect(() => raw.exec("REPLACE INTO artifacts SELECT * FROM artifacts")).toThrow("append-only");
    raw.exec("UPDATE artifacts SET sensitivity = 'restricted'");
  });
});
