import { resolve } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import { foreign, inspectPath, requireKnownVersion } from "./inspect-path.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./schema.ts";
import { query, SqliteConnection, STANDSTILL_MS } from "./sqlite-connection.ts";
import { asStoreError } from "./sqlite-errors.ts";
import { APPLICATION_ID } from "./sqlite-header.ts";

/**
 * Opens a store file, and makes it when it is not there or has no byte. A file that is not a store is left as it is.
 *
 * @throws ThreadfoldError `STORE_FOREIGN`, `STORE_UNAVAILABLE` or `STORE_CORRUPT`.
 */
export async function openConnection(givenPath: string): Promise<SqliteConnection> {
  const path = resolve(givenPath);
  inspectPath(path);
  const connection = connect(path);
  try {
    // Another process may be making the store just now.
    for (const step of [configure, migrate, requireWriteAheadLog]) await connection.whenFree(() => step(connection));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function connect(path: string): SqliteConnection {
  const { DatabaseSync } = loadSqlite();
  try {
    return new SqliteConnection(new DatabaseSync(path), path);
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
 * Brings the schema up to date in one transaction. The first one runs before the write-ahead log is turned on, so that
 * the file itself says whose it is from the moment that it holds anything.
 */
function migrate(connection: SqliteConnection): void {
  if (schemaVersion(connection) === SCHEMA_VERSION) return;
  connection.write(() => {
    // Another process may have been faster: what counts is what the file says under the lock.
    for (const migration of MIGRATIONS.slice(schemaVersion(connection))) connection.script(migration);
    connection.script(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`);
  });
}

/** What a file says that it is. One statement reads all of it, for another process may be making the store just now. */
const IDENTITY = query<{ readonly applicationId: number; readonly version: number; readonly tables: number }>(
  `
  SELECT (SELECT application_id FROM pragma_application_id) AS applicationId,
         (SELECT user_version FROM pragma_user_version) AS version,
         (SELECT count(*) FROM sqlite_schema) AS tables
`,
  { applicationId: "integer", version: "integer", tables: "integer" },
);

/** The schema version of a store, or 0 for a file without tables. */
function schemaVersion(connection: SqliteConnection): number {
  const { path } = connection;
  const { applicationId = 0, version = 0, tables = 0 } = connection.get(IDENTITY) ?? {};
  if (applicationId === APPLICATION_ID) {
    requireKnownVersion(path, version);
    return version;
  }
  if (applicationId !== 0 || tables > 0) throw foreign(path, "it is the database of another program");
  return 0;
}

// Where two connections turn the log on at once, SQLite refuses one, which then finds it turned on.
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
