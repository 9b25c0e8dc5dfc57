import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { asThreadId, digestOf, ThreadfoldError } from "@threadfold/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entry, pin } from "../laws/sample-data.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { furnish, furnishedSegments } from "../testing/furnished.ts";
import { otherValue } from "../testing/other-value.ts";
import { withoutGuards } from "../testing/without-guards.ts";
import { verifyStore } from "./verify-store.ts";

/**
 * What `verify` of a SQLite store does not look at, and why nobody is misled by it. The test holds this list to be exact: whatever is not on
 * it is found when it changes, and whatever is on it is not.
 */
const NOT_RELIED_ON: Readonly<Record<string, string>> = {
  ...ofErased("entries", ["kind", "message_id", "pin_id", "messages", "turn", "step", "appended_at"]),
  ...ofErased("plans", ["thread_version", "created_at", "original_tokens", "compacted_tokens", "committed_at"]),
  ...ofErased("artifacts", ["tenant_id", "bytes"]),
  "artifact_contents without a row, erased": "there is nothing in it any more",
  "entries.appended_at": "said in lists of threads alone; when something happened is in the journal",
  "plans.committed_at": "said in lists of threads alone; when something happened is in the journal",
  "receipts without a row": "an append that is tried again is then refused by its version, or adds what is there",
  "receipts.idempotency_key": "the same as a receipt that is gone",
  "receipts.request_digest": "an append that is tried again is then refused, for its key stood for another one",
  ...ofErased("receipts", ["idempotency_key"]),
  "receipts without a row, erased": "nothing is appended to an erased thread",
  "archives.archived_at": "said in lists and errors alone",
  "archives.place": "a segment whose place is not there is said to be out of reach",
  "archives without a row": "a thread that is gone as a whole is missed by whoever kept a checkpoint of it",
  ...ofSearch("recall_passages", ["passage_key", "ordinal", "first_offset", "words", "place"]),
  ...ofSearch("recall_words", ["thread_key", "word", "first_passage", "passages"]),
};

/** Without its body nothing can be held against a header. The chain of digests still has to hold, and the proof to be there. */
function ofErased(table: string, columns: readonly string[]): Record<string, string> {
  const why = "nothing of an erased thread is handed out but its journal";
  return Object.fromEntries(columns.map((column) => [`${table}.${column}, erased`, why]));
}

function ofSearch(table: string, columns: readonly string[]): Record<string, string> {
  const why = "made of the log by whoever searches, and held against it when something is found";
  return Object.fromEntries(
    [...columns.map((column) => `${table}.${column}`), `${table} without a row`].map((at) => [at, why]),
  );
}

let folder: string;
let intact: string;
beforeAll(async () => {
  folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
  intact = join(folder, "intact.db");
  const store = await openSqliteStore(intact);
  await furnish(store);
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Column {
  readonly name: string;
  /** Its place in the primary key, from 1; 0 for those outside. */
  readonly pk: number;
}

interface Tampering {
  /** The column or table as the list above names it. */
  readonly at: string;
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** Every column of the first and the last row of every table, each with another value; and each of these rows gone. */
function tamperings(): readonly Tampering[] {
  const raw = new DatabaseSync(intact, { readOnly: true });
  const tables = raw
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all()
    .map(({ name }) => String(name));
  const all = tables.flatMap((table) => {
    // Generated columns are not stored, and are not listed.
    const columns = raw.prepare(`PRAGMA table_info("${table}")`).all() as unknown as readonly Column[];
    const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
    const rows = raw.prepare(`SELECT * FROM "${table}" ORDER BY ${key.join(", ")}`).all();
    expect(rows.length, `rows of ${table}`).toBeGreaterThan(0);
    const where = `WHERE ${key.map((name) => `${name} = ?`).join(" AND ")}`;
    return [...new Set([rows[0], rows.at(-1)])].flatMap((row) => {
      const suffix = isErased(table, row ?? {}, rows.length) ? ", erased" : "";
      const of = key.map((name) => row?.[name] as SQLInputValue);
      const changed = columns.map(({ name }) => ({
        at: `${table}.${name}${suffix}`,
        sql: `UPDATE "${table}" SET "${name}" = ? ${where}`,
        values: [otherValue(name, row?.[name] as SQLInputValue) as SQLInputValue, ...of],
      }));
      return [
        ...changed,
        { at: `${table} without a row${suffix}`, sql: `DELETE FROM "${table}" ${where}`, values: of },
      ];
    });
  });
  raw.close();
  return all;
}

/** What is erased comes second in every table, and so do the keys of its rows: those of entries begin with the thread's. */
function isErased(table: string, row: Readonly<Record<string, SQLInputValue>>, rows: number): boolean {
  const { thread_key: thread, entry_key: entry, artifact_key: artifact } = row;
  if (entry !== undefined) return Number(entry) >= 2 ** 33;
  if (table === "artifact_contents") return Number(artifact) > rows / 2;
  return table !== "threads" && table !== "erasures" && thread === 2;
}

/** What opening and verifying say of a copy that somebody changed past all guards; none when they say nothing. */
async function complaints(work: (raw: DatabaseSync) => void): Promise<readonly string[]> {
  const path = join(folder, "tampered.db");
  copyFileSync(intact, path);
  const raw = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  // Newer versions of Node keep a schema from being written by hand.
  raw.enableDefensive?.(false);
  raw.exec("PRAGMA ignore_check_constraints = ON");
  withoutGuards(raw, () => work(raw));
  raw.close();
  try {
    const store = await openSqliteStore(path);
    try {
      return (await verifyStore(store, undefined, { segments: furnishedSegments })).map(
        ({ family, problem }) => `${family}: ${problem}`,
      );
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!ThreadfoldError.isInstance(error)) throw error;
    return [error.code];
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  }
}

describe("R11 an attacker with write access to the file of a SQLite store", () => {
  it("is not reported when nothing was changed", async () => {
    expect(await complaints(() => undefined)).toEqual([]);
  });

  it("is detected after changing any column or deleting a row of any table, except for the listed ones", async ({
    task,
  }) => {
    const unseen = new Set<string>();
    const seen = new Set<string>();
    const all = tamperings();
    for (const { at, sql, values } of all) {
      const found = await complaints((raw) => expect(raw.prepare(sql).run(...values).changes, at).toBe(1));
      (found.length > 0 ? seen : unseen).add(at);
    }
    expect([...unseen].sort()).toEqual(Object.keys(NOT_RELIED_ON).sort());
    Object.assign(task.meta, {
      figures: {
        backend: "SQLite",
        changes: all.length,
        places: seen.size + unseen.size,
        "not relied on": unseen.size,
      },
    });
  });

  it("cannot make an append look done with a forged receipt: its entries must be in the thread", async () => {
    const path = join(folder, "forged.db");
    copyFileSync(intact, path);
    const added = entry(200);
    const raw = new DatabaseSync(path);
    const insert = raw.prepare("INSERT INTO receipts VALUES (1, ?, ?, 37, 1)");
    insert.run("forged message", digestOf([added]));
    insert.run("forged rule", digestOf([pin("p9")]));
    raw.close();
    const store = await openSqliteStore(path);
    for (const [idempotencyKey, input] of [
      ["forged message", added],
      ["forged rule", pin("p9")],
    ] as const) {
      const append = store.threads.append(asThreadId("kept"), [input], { expectedVersion: "any", idempotencyKey });
      await expect(append).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    }
    await store.close();
  });

  it("is detected after changing the application id or version in the file's header", async () => {
    for (const mark of ["application_id", "user_version"])
      expect(await complaints((raw) => raw.exec(`PRAGMA ${mark} = 77`)), mark).toEqual(["STORE_FOREIGN"]);
  });
});
