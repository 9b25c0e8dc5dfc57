import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { closedStoreError } from "../rules/closed-store.ts";
import { asStoreError } from "./sqlite-errors.ts";

/** A value that a statement takes. */
export type SqlValue = SQLInputValue;

/** One connection to one file: prepared statements, write transactions, and failures as Threadfold errors. */
export class SqliteConnection {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #closed = false;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.path = path;
  }

  get<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined {
    return this.#guard(() => this.#statement(sql).get(...values) as Row | undefined);
  }

  all<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    return this.#guard(() => this.#statement(sql).all(...values) as Row[]);
  }

  /** Runs a statement and gives the key of the row that it inserted, if it did. */
  run(sql: string, ...values: readonly SqlValue[]): number {
    return this.#guard(() => Number(this.#statement(sql).run(...values).lastInsertRowid));
  }

  /** Runs statements that take no values and give no rows. */
  script(sql: string): void {
    this.#guard(() => this.#database.exec(sql));
  }

  /**
   * Runs work as one write transaction: all of it is kept, and on the disk, when this returns, or none of it when it
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

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    this.#database.close();
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite rolls back by itself after some failures, and then there is nothing left to roll back.
    }
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
