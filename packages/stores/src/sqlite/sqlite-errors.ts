import { type ErrorCode, ThreadfoldError } from "@threadfold/core";

interface SqliteError extends Error {
  readonly code: "ERR_SQLITE_ERROR";
  /** SQLite's extended result code; its lowest byte is the primary one. */
  readonly errcode: number;
}

/** SQLITE_BUSY. */
export const SQLITE_BUSY = 5;
/** SQLITE_CONSTRAINT. */
const CONSTRAINT = 19;

/** Primary result codes that say that the file's content is not what this store wrote. */
const CORRUPT_CODES: ReadonlySet<number> = new Set([
  1, // SQLITE_ERROR: a table or column of the schema is missing
  11, // SQLITE_CORRUPT
  CONSTRAINT, // rows contradict each other, since the store itself writes none that do
  20, // SQLITE_MISMATCH
  26, // SQLITE_NOTADB
]);

/** A failure of SQLite as a Threadfold error; any other value as it is. */
export function asStoreError(cause: unknown, path: string): unknown {
  if (isUnreadableNumber(cause)) {
    return new ThreadfoldError(
      "STORE_CORRUPT",
      `The store ${path} is damaged: it holds a number that it never writes.`,
      { cause },
    );
  }
  if (!isSqliteError(cause)) return cause;
  const primary = cause.errcode & 0xff;
  const code: ErrorCode = CORRUPT_CODES.has(primary) ? "STORE_CORRUPT" : "STORE_UNAVAILABLE";
  const what = code === "STORE_CORRUPT" ? "is damaged" : "cannot be used now";
  return new ThreadfoldError(code, `The store ${path} ${what}: ${cause.message} (SQLite ${cause.errcode}).`, {
    cause,
    details: { path, sqliteCode: cause.errcode },
  });
}

/** The error for a row that no version of this store wrote. */
export function damagedRow(path: string, column: string, expected: string): ThreadfoldError {
  return new ThreadfoldError(
    "STORE_CORRUPT",
    `The store ${path} is damaged: the ${column} of a row is no ${expected}.`,
    {
      details: { path, column },
    },
  );
}

/** True when another connection holds the lock that was wanted. Nothing is wrong with the file, and later it may work. */
export function isLocked(error: unknown): boolean {
  return ThreadfoldError.isInstance(error) && (Number(error.details["sqliteCode"]) & 0xff) === SQLITE_BUSY;
}

/** True when SQLite refused rows because of what is there already: a trigger, an index or a reference said no. */
export function isRefusedRow(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isSqliteError(cause) && (cause.errcode & 0xff) === CONSTRAINT;
}

function isSqliteError(value: unknown): value is SqliteError {
  return value instanceof Error && (value as Partial<SqliteError>).code === "ERR_SQLITE_ERROR";
}

/** Node refuses to read an integer that no JavaScript number can hold. */
function isUnreadableNumber(value: unknown): boolean {
  return value instanceof Error && (value as NodeJS.ErrnoException).code === "ERR_OUT_OF_RANGE";
}
