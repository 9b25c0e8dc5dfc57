import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { type ErrorCode, EventLoopTurns, type Steps, ThreadfoldError } from "@threadfold/core";
import { closedStoreError } from "../shared/store-basics.ts";

/** A value that can be bound to a statement. */
type SqlValue = SQLInputValue;

/**
 * The values of a statement: in the order of its `?`, or by name for a statement that needs one of them in several
 * places (`:name`). Numbered parameters (`?1`) are not used here: half of the Node versions that we run on treat them
 * as names.
 */
export type SqlValues = readonly SqlValue[] | readonly [Readonly<Record<string, SqlValue>>];

/** A statement that returns rows, with the kind of each of their columns. */
export interface SqlQuery<Row> {
  readonly sql: string;
  readonly columns: Columns<Row>;
}

/**
 * The kind of each column of a row. `number` is any finite number, `integer` one that JavaScript represents exactly.
 */
export type Columns<Row> = { readonly [Name in keyof Row]-?: ColumnOf<Row[Name]> };
type ColumnOf<Value> = null extends Value ? `${KindOf<NonNullable<Value>>} or null` : KindOf<Value>;
type KindOf<Value> = Value extends string ? "text" : Value extends number ? "integer" | "number" : "bytes";

/** Returns a query whose columns are checked against its row type. */
export const query = <Row extends object>(sql: string, columns: Columns<Row>): SqlQuery<Row> => ({ sql, columns });

/** How long a statement waits for a lock while the whole process is blocked, in milliseconds. */
export const STANDSTILL_MS = 5;
/** How long a writer waits for another one, in milliseconds, before the store counts as unavailable. */
const LOCK_TIMEOUT_MS = 10_000;
const LONGEST_PAUSE_MS = 32;

/** One connection to one file: prepared statements, write transactions, and failures as Threadfold errors. */
export class SqliteConnection {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #another: () => SqliteConnection;
  readonly #statements = new Map<string, StatementSync>();
  /** Settles when the last queued write is done. Undefined when none is waiting or running. */
  #lastInLine: Promise<void> | undefined;
  /** The separate connection that {@link writeInSteps} is using. */
  #beside: SqliteConnection | undefined;
  #closed = false;

  /** @param another opens one more connection to the same file. */
  constructor(database: DatabaseSync, path: string, another: () => SqliteConnection) {
    this.#database = database;
    this.path = path;
    this.#another = another;
  }

  get<Row>(wanted: SqlQuery<Row>, ...values: SqlValues): Row | undefined {
    return this.#read(() => {
      const row = this.#statement(wanted.sql).get(...(values as SqlValue[]));
      return row === undefined ? undefined : this.#rowOf(wanted, row);
    });
  }

  all<Row>(wanted: SqlQuery<Row>, ...values: SqlValues): readonly Row[] {
    return this.#read(() => {
      const rows = this.#statement(wanted.sql).all(...(values as SqlValue[]));
      return rows.map((row) => this.#rowOf(wanted, row));
    });
  }

  /** Runs a statement and returns the key of the row that it inserted, if any. */
  run(sql: string, ...values: SqlValues): number {
    return this.#guard(() => Number(this.#statement(sql).run(...(values as SqlValue[])).lastInsertRowid));
  }

  /** Runs statements that take no values and return no rows. */
  script(sql: string): void {
    this.#guard(() => this.#database.exec(sql));
  }

  /**
   * Runs work as one write transaction: all of it is stored, and on the disk, when this returns, or none of it when it
   * throws. The write lock is taken at the start, so that what the work reads stays true until it is written.
   */
  write<Result>(work: () => Result): Result {
    this.run("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /**
   * Runs work that takes the write lock: at once, and again while another process holds the lock, in which case nothing
   * of the work remains. The event loop is not blocked meanwhile. Calls run in the order in which they were made.
   *
   * @param limitMs time limit for the tries, in milliseconds; after it, the failure of the last try is thrown.
   */
  async whenFree<Result>(work: () => Result, limitMs: number = LOCK_TIMEOUT_MS): Promise<Result> {
    const deadline = performance.now() + limitMs;
    const { before, leave } = this.#standInLine();
    try {
      if (before !== undefined) await before;
      for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        try {
          return work();
        } catch (error) {
          if (!isLocked(error) || performance.now() >= deadline) throw error;
        }
        // Of varying length, so that two waiters do not collide again and again.
        await pause(pauseMs * (0.5 + Math.random() / 2));
      }
    } finally {
      leave();
    }
  }

  /**
   * Runs long work as one write transaction, as {@link write} does, and yields to the event loop between its steps. The
   * work has its own connection, so readers of this one see nothing of it meanwhile; writers wait.
   *
   * @throws the signal's reason, when it was aborted before the work was done: nothing is stored then.
   */
  async writeInSteps<Result>(work: (own: SqliteConnection) => Steps<Result>, signal?: AbortSignal): Promise<Result> {
    const { before, leave } = this.#standInLine();
    try {
      if (before !== undefined) await before;
      signal?.throwIfAborted();
      const own = this.#guard(this.#another);
      this.#beside = own;
      await own.whenFree(() => own.run("BEGIN IMMEDIATE"));
      const result = await new EventLoopTurns().finish(work(own), signal);
      own.run("COMMIT");
      return result;
    } finally {
      // A transaction that is not committed ends with its connection.
      this.#beside?.close();
      this.#beside = undefined;
      leave();
    }
  }

  #standInLine(): { readonly before: Promise<void> | undefined; readonly leave: () => void } {
    const before = this.#lastInLine;
    const { promise: mine, resolve } = Promise.withResolvers<void>();
    this.#lastInLine = mine;
    const leave = (): void => {
      if (this.#lastInLine === mine) this.#lastInLine = undefined;
      resolve();
    };
    return { before, leave };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#beside?.close();
    this.#statements.clear();
    this.#database.close();
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite rolls back automatically after some failures, and then there is nothing left to roll back.
    }
  }

  /** Runs a read. Writers never block it: it finds a lock only while another process recovers the log after a crash. */
  #read<Result>(work: () => Result): Result {
    try {
      return this.#guard(work);
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
    this.script(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`);
    try {
      return this.#guard(work);
    } finally {
      this.script(`PRAGMA busy_timeout = ${STANDSTILL_MS}`);
    }
  }

  /** Returns a row if it matches its query. SQLite checks types when a row is written, not when it is read. */
  #rowOf<Row>({ columns }: SqlQuery<Row>, row: object): Row {
    for (const name in columns) {
      if (!isOfKind((row as Row)[name], columns[name])) throw damagedRow(this.path, name, columns[name]);
    }
    return row as Row;
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<Result>(work: () => Result): Result {
    if (this.#closed) throw closedStoreError();
    try {
      return work();
    } catch (cause) {
      throw asStoreError(cause, this.path);
    }
  }
}

function isOfKind(value: unknown, column: string): boolean {
  const kind = column.endsWith(" or null") ? column.slice(0, -" or null".length) : column;
  if (value === null) return kind !== column;
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return value instanceof Uint8Array;
  }
}

interface SqliteError extends Error {
  readonly code: "ERR_SQLITE_ERROR";
  /** SQLite's extended result code; its lowest byte is the primary one. */
  readonly errcode: number;
}

/** The result code for a lock that another connection holds. */
export const SQLITE_BUSY = 5;
/** The primary result code `SQLITE_CONSTRAINT`: a row was refused. */
const CONSTRAINT = 19;

/** Primary result codes which mean that the file's content is not what this store wrote. */
const CORRUPT_CODES: ReadonlySet<number> = new Set([
  1, // SQLITE_ERROR: a table or column of the schema is missing
  11, // SQLITE_CORRUPT
  CONSTRAINT, // rows contradict each other; the store itself never writes any that do
  20, // SQLITE_MISMATCH
  26, // SQLITE_NOTADB
]);

/** Returns a failure of SQLite as a Threadfold error, and any other value unchanged. */
export function asStoreError(cause: unknown, path: string): unknown {
  if (isUnreadableNumber(cause)) {
    return new ThreadfoldError(
      "STORE_CORRUPT",
      `The store ${path} is damaged: it contains a number that Threadfold never writes.`,
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
function damagedRow(path: string, column: string, expected: string): ThreadfoldError {
  return new ThreadfoldError(
    "STORE_CORRUPT",
    `The store ${path} is damaged: the ${column} of a row is not of type ${expected}.`,
    {
      details: { path, column },
    },
  );
}

/** Checks whether another connection holds the lock that was wanted. The file is fine, and it may work later. */
export function isLocked(error: unknown): boolean {
  return ThreadfoldError.isInstance(error) && (Number(error.details["sqliteCode"]) & 0xff) === SQLITE_BUSY;
}

/** Checks whether SQLite refused rows because of existing ones: by a trigger, an index or a reference. */
export function isRefusedRow(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isSqliteError(cause) && (cause.errcode & 0xff) === CONSTRAINT;
}

function isSqliteError(value: unknown): value is SqliteError {
  return value instanceof Error && (value as Partial<SqliteError>).code === "ERR_SQLITE_ERROR";
}

/** Checks for an integer that Node refuses to read because no JavaScript number can hold it. */
function isUnreadableNumber(value: unknown): boolean {
  return value instanceof Error && (value as NodeJS.ErrnoException).code === "ERR_OUT_OF_RANGE";
}
