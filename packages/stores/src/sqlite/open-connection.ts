import type { Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import { syncFiles } from "../shared/on-demand.ts";
import { MIGRATIONS } from "./schema.ts";
import { asStoreError, query, SqliteConnection, STANDSTILL_MS } from "./sqlite-connection.ts";

const { accessSync, closeSync, constants, openSync, readSync, statSync } = syncFiles;

/**
 * Opens a store file, and creates it if it does not exist or is empty. A file that is not a store is left unchanged.
 *
 * @param migrations bring the file's tables to the required version.
 * @throws ThreadfoldError `STORE_FOREIGN`, `STORE_UNAVAILABLE` or `STORE_CORRUPT`.
 */
export async function openConnection(
  givenPath: string,
  migrations: readonly string[] = MIGRATIONS,
): Promise<SqliteConnection> {
  const path = resolve(givenPath);
  const newest = migrations.length;
  inspectPath(path, newest);
  const connection = connect(path);
  try {
    // Another process may be creating the store right now.
    for (const step of [configure, migrateBy(migrations), requireWriteAheadLog])
      await connection.whenFree(() => step(connection));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function connect(path: string): SqliteConnection {
  const { DatabaseSync } = loadSqlite();
  try {
    return new SqliteConnection(new DatabaseSync(path), path, () => {
      const another = connect(path);
      configure(another);
      return another;
    });
  } catch (cause) {
    throw asStoreError(cause, path);
  }
}

function configure(connection: SqliteConnection): void {
  connection.script(`
    PRAGMA busy_timeout = ${STANDSTILL_MS};
    PRAGMA foreign_keys = ON;
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = ON;
    PRAGMA recursive_triggers = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
  `);
}

/**
 * Brings the schema up to date in one transaction. The first migration runs before the write-ahead log is turned on, so
 * that the file itself says whose it is as soon as it contains anything.
 */
function migrateBy(migrations: readonly string[]): (connection: SqliteConnection) => void {
  const newest = migrations.length;
  return (connection) => {
    if (schemaVersion(connection, newest) === newest) return;
    connection.write(() => {
      // Another process may have been faster: only what the file says under the lock counts.
      for (const migration of migrations.slice(schemaVersion(connection, newest))) connection.script(migration);
      connection.script(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${newest};`);
    });
  };
}

/** What a file says it is, read in a single statement, because another process may be creating the store right now. */
const IDENTITY = query<{ readonly applicationId: number; readonly version: number; readonly tables: number }>(
  `
  SELECT (SELECT application_id FROM pragma_application_id) AS applicationId,
         (SELECT user_version FROM pragma_user_version) AS version,
         (SELECT count(*) FROM sqlite_schema) AS tables
`,
  { applicationId: "integer", version: "integer", tables: "integer" },
);

/** Returns the schema version of a store, or 0 for a file without tables. */
function schemaVersion(connection: SqliteConnection, newest: number): number {
  const { path } = connection;
  const { applicationId = 0, version = 0, tables = 0 } = connection.get(IDENTITY) ?? {};
  if (applicationId === APPLICATION_ID) {
    requireKnownVersion(path, version, newest);
    return version;
  }
  if (applicationId !== 0 || tables > 0) throw foreign(path, "it is the database of another program");
  return 0;
}

// When two connections turn the log on at once, SQLite refuses one, which then finds it turned on.
const WRITE_AHEAD_LOG = query<{ readonly journal_mode: string }>("PRAGMA journal_mode = WAL", { journal_mode: "text" });

function requireWriteAheadLog(connection: SqliteConnection): void {
  const mode = connection.get(WRITE_AHEAD_LOG)?.journal_mode;
  if (mode === "wal") return;
  throw new ThreadfoldError(
    "STORE_UNAVAILABLE",
    `The store ${connection.path} cannot keep a write-ahead log (journal mode ${mode}).`,
    {
      hint: "Put the store on a local disk.",
      details: { path: connection.path },
    },
  );
}

/**
 * Checks that a path may be opened as a store, by looking only: nothing is written, created or locked.
 *
 * @throws ThreadfoldError `STORE_FOREIGN` for a file of another program or of a newer version, `STORE_UNAVAILABLE` when
 * the path is not a file that may be read and written, or its folder does not exist.
 */
function inspectPath(path: string, newest: number): void {
  const stats = attempt(path, () => statSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) return requireFolder(dirname(path), path);
  requireWritableFile(path, stats);
  const header = readSqliteHeader(attempt(path, () => firstBytes(path)));
  if (header.kind === "empty") return;
  if (header.kind === "other") throw foreign(path, "it is not a SQLite database");
  if (header.applicationId === APPLICATION_ID) return requireKnownVersion(path, header.userVersion, newest);
  if (header.applicationId !== 0) throw foreign(path, "it is the database of another program");
  if (header.hasTables || hasUnfinishedLog(path))
    throw foreign(path, "it is a database with tables of another program");
}

/** @throws ThreadfoldError `STORE_FOREIGN` when a newer Threadfold wrote the store. */
function requireKnownVersion(path: string, userVersion: number, newest: number): void {
  if (userVersion >= 1 && userVersion <= newest) return;
  const reason =
    userVersion > newest
      ? `a newer Threadfold wrote it (schema ${userVersion}; this one knows up to ${newest})`
      : `its schema version ${userVersion} is not one of Threadfold's`;
  throw foreign(path, reason);
}

/** The error for a file that is left unchanged. */
function foreign(path: string, reason: string): ThreadfoldError {
  return new ThreadfoldError("STORE_FOREIGN", `${path} was not opened: ${reason}.`, { details: { path } });
}

function requireFolder(folder: string, path: string): void {
  const stats = attempt(path, () => statSync(folder, { throwIfNoEntry: false }));
  if (stats?.isDirectory()) return;
  throw new ThreadfoldError("STORE_UNAVAILABLE", `The store ${path} cannot be created: there is no folder ${folder}.`, {
    hint: "Create the folder first, or name another path.",
    details: { path },
  });
}

function requireWritableFile(path: string, stats: Stats): void {
  if (!stats.isFile()) {
    const kind = stats.isDirectory() ? "a folder" : "not a regular file";
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The store ${path} cannot be opened: it is ${kind}.`, {
      hint: "Name a file.",
      details: { path },
    });
  }
  attempt(path, () => accessSync(path, constants.R_OK | constants.W_OK));
}

function firstBytes(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(HEADER_BYTES);
    return buffer.subarray(0, readSync(file, buffer, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** Checks for a log next to the file, which may contain tables that the file itself does not show yet. */
function hasUnfinishedLog(path: string): boolean {
  return ["-wal", "-journal"].some((suffix) => (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause);
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The store ${path} cannot be opened: ${reason}.`, {
      cause,
      details: { path },
    });
  }
}

/** Marks a file as a Threadfold store: "TFld" in the header's application id. */
export const APPLICATION_ID = 0x54_46_6c_64;

/** Number of bytes of a file that must be read to identify it. */
export const HEADER_BYTES = 108;

/** What a file is, according to its first bytes. */
export type SqliteHeader =
  | { readonly kind: "empty" }
  | { readonly kind: "other" }
  | {
      readonly kind: "database";
      readonly applicationId: number;
      readonly userVersion: number;
      readonly hasTables: boolean;
    };

/**
 * Identifies a file by its first {@link HEADER_BYTES} bytes, without a database engine that might write to it (SQLite
 * file format, sections 1.3 and 1.6). Page 1 holds the schema: a leaf without cells means that there are no tables.
 */
export function readSqliteHeader(start: Buffer): SqliteHeader {
  if (start.length === 0) return { kind: "empty" };
  if (start.length < HEADER_BYTES || !start.subarray(0, MAGIC.length).equals(MAGIC)) return { kind: "other" };
  return {
    kind: "database",
    userVersion: start.readInt32BE(60),
    applicationId: start.readInt32BE(68),
    hasTables: start[100] !== LEAF_TABLE_PAGE || start.readUInt16BE(103) > 0,
  };
}

const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
const LEAF_TABLE_PAGE = 0x0d;

type SqliteModule = typeof import("node:sqlite");

let loaded: SqliteModule | undefined;

/**
 * Loads Node's SQLite. Older Node versions then print a warning that the module is experimental; that one warning is
 * suppressed, because users of this store can do nothing about it. All other warnings stay.
 */
export function loadSqlite(): SqliteModule {
  loaded ??= withoutExperimentalWarning(() => process.getBuiltinModule("node:sqlite"));
  return loaded;
}

function withoutExperimentalWarning<Result>(work: () => Result): Result {
  const original = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    const kind = typeof rest[0] === "string" ? rest[0] : (rest[0] as { type?: string } | undefined)?.type;
    if (kind === "ExperimentalWarning" && String(warning).includes("SQLite")) return;
    Reflect.apply(original, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    return work();
  } finally {
    process.emitWarning = original;
  }
}
