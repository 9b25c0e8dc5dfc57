import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import { type ForeignObject, nonEmptyText, objectOf } from "./foreign-value.ts";
import type { SourceRecord, SourceRecords } from "./source-records.ts";
import { sourceTooLarge } from "./source-text.ts";
import type { SourceThread } from "./source-threads.ts";

/** The first bytes of every SQLite file (https://sqlite.org/fileformat.html, 1.3.1). */
const HEADER = "SQLite format 3\0";

/** Tables in which agents store conversations. Everything else in a database, such as file versions, is ignored. */
const TABLES = ["sessions", "messages", "session", "message", "part", "session_message"];

/** Checks whether bytes are a SQLite database. */
export const isDatabase = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, HEADER.length)).toString("latin1") === HEADER;

/** Checks whether a file is a SQLite database; false when it cannot be read or is not a regular file. */
export async function isDatabaseFile(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (file === null) return false;
  try {
    if (!(await file.stat()).isFile()) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    return isDatabase(buffer.subarray(0, bytesRead));
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

/** Returns the conversations of a database that is available only as bytes; see {@link databaseLines}. */
export async function databaseBytesLines(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "threadfold-import-"));
  try {
    const path = join(folder, "source.db");
    await writeFile(path, bytes, { mode: 0o600 });
    return await databaseLines(path, maxBytes);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the conversations of a database as a log: one line of JSON for each row of the tables in which agents store
 * them, with the table's name as `table`, in the order of writing. It also reads the write-ahead log, and writes
 * nothing.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE` for a damaged database, `UNKNOWN_FORMAT` for one without such a table,
 *   `SOURCE_TOO_LARGE`.
 */
export async function databaseLines(path: string, maxBytes: number): Promise<Uint8Array> {
  // Node's own module, which is missing in browser bundles.
  const { DatabaseSync } = await import("node:sqlite");
  const lines: Buffer[] = [];
  const tables = new Set<string>();
  let bytes = 0;
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all())
        tables.add(String(name));
      for (const table of TABLES) {
        if (!tables.has(table)) continue;
        const rows = database.prepare(`SELECT * FROM "${table}" ORDER BY rowid`);
        rows.setReadBigInts(true);
        for (const row of rows.iterate()) {
          const line = Buffer.from(`${JSON.stringify({ table, ...objectOf(row) }, toText)}\n`);
          bytes += line.length;
          if (bytes > maxBytes) throw sourceTooLarge(maxBytes, path);
          lines.push(line);
        }
      }
    } finally {
      database.close();
    }
  } catch (cause) {
    if (ThreadfoldError.isInstance(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : "it cannot be opened";
    throw new ThreadfoldError("UNREADABLE_SOURCE", `The database cannot be read: ${why}.`, {
      cause,
      hint: "It is damaged, or was copied while it was written to: close the program that owns it and copy it again.",
    });
  }
  if (TABLES.some((table) => tables.has(table))) return Buffer.concat(lines);
  throw new ThreadfoldError("UNKNOWN_FORMAT", "The database has no table of sessions or messages.", {
    hint: FOREIGN_HINTS.find(([table]) => tables.has(table))?.[1] ?? READ_DATABASES,
  });
}

const READ_DATABASES =
  "Only databases of Goose, Crush and OpenCode can be read; for other tools, name the session's own file.";

/** Advice for databases that are recognized but not read, keyed by one of their tables. */
const FOREIGN_HINTS = [
  ["cursorDiskKV", `It is a database of Cursor, whose chats cannot be read. ${READ_DATABASES}`],
  [
    "ItemTable",
    "It is the state of VS Code, which keeps each chat as a file in chatSessions next to it: name that file.",
  ],
] as const;

/**
 * Converts a cell to JSON: bytes become UTF-8 text, as Go programs write it, and large integers lose their last digits.
 */
function toText(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value;
}

/** Returns a row of the given table; undefined for anything else. */
export function rowOf(value: unknown, table: string): ForeignObject | undefined {
  const row = objectOf(value);
  return row?.table === table ? row : undefined;
}

/**
 * Returns the sessions that have a message, from a database with `sessions` and `messages`, in the database's order.
 */
export function databaseThreads({ records }: SourceRecords): readonly SourceThread[] {
  const threads = new Map<string, SourceRecord[]>();
  for (const record of records) {
    const id = nonEmptyText(rowOf(record.value, "sessions")?.id);
    if (id !== undefined) threads.set(id, [record]);
  }
  for (const record of records) {
    const id = nonEmptyText(rowOf(record.value, "messages")?.session_id);
    if (id === undefined) continue;
    const thread = threads.get(id);
    if (thread === undefined) threads.set(id, [record]);
    else thread.push(record);
  }
  const isSpoken = (thread: readonly SourceRecord[]) => thread.some(({ value }) => rowOf(value, "messages"));
  return [...threads]
    .filter(([, thread]) => isSpoken(thread))
    .map(([name, thread]) => ({ name: name.toWellFormed(), records: thread }));
}
