import { createHash } from "node:crypto";
import { type ErrorCode, ThreadfoldError } from "@threadfold/core";
import { closedStoreError } from "../shared/store-basics.ts";
import { ARCHIVED_STATE } from "./archive-schema.ts";
import type { PostgresDriver, SqlSession, SqlValue } from "./postgres-driver.ts";
import { ERASED_STATE } from "./schema.ts";

/**
 * Parts of a thread that one writer at a time changes. Each has its own lock, so that an append never waits for a
 * commit.
 */
export type Guarded = (typeof GUARDED)[number];

const GUARDED = ["log", "plans", "journal", "artifacts", "recall"] as const;

/**
 * Time limits in milliseconds, after which the store counts as unavailable: for a writer that waits for another one,
 * for a statement, and for a transaction that is idle.
 */
const LIMITS =
  "SET LOCAL lock_timeout = 10000; SET LOCAL statement_timeout = 60000; SET LOCAL idle_in_transaction_session_timeout = 60000;";

/** The location of a store's rows, and their tenant. */
export interface PostgresPlace {
  readonly schema: string;
  readonly tenantId: string | null;
  /** True when the server shows and accepts only rows of the transaction's tenant. */
  readonly isSecured: boolean;
}

/** One tenant's rows in one schema: statements, write transactions with locks, and failures as Threadfold errors. */
export class PostgresConnection {
  /** The tenant as it is written in rows. */
  readonly tenant: string;
  readonly place: PostgresPlace;
  readonly #driver: PostgresDriver;
  readonly #statements = new Map<string, string>();
  #closed = false;

  constructor(driver: PostgresDriver, place: PostgresPlace) {
    this.#driver = driver;
    this.place = place;
    this.tenant = JSON.stringify(place.tenantId);
  }

  /** Runs one statement that reads. */
  async query<Row>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.read((session) => session.query<Row>(sql, values));
  }

  /** Runs statements that read. Each sees what was committed when it began. */
  async read<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result> {
    return this.#guard(() =>
      this.place.isSecured
        ? this.#driver.transaction(this.#opening(), (session) => work(this.#qualified(session)))
        : work(this.#qualified(this.#driver)),
    );
  }

  /** Runs work as one write transaction, which holds the lock on a part of a thread from beginning to end. */
  async write<Result>(
    guarded: Guarded,
    threadId: string,
    work: (session: SqlSession) => Promise<Result>,
  ): Promise<Result> {
    return this.#write(this.#lock(guarded, threadId), work);
  }

  /** Does the same with the locks on all parts of a thread, for as long as the driver allows long work to take. */
  async writeWhole<Result>(threadId: string, work: (session: SqlSession) => Promise<Result>): Promise<Result> {
    // All others hold one lock at a time, so waiting for all of them in any order cannot deadlock.
    const locks = GUARDED.map((guarded) => this.#lock(guarded, threadId)).join("");
    return this.#write(`${locks}SET LOCAL statement_timeout = 0;`, work, true);
  }

  /** Does the same without a lock, for work on rows of more than one thread. */
  async writeAny<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result> {
    return this.#write("", work);
  }

  /** Listens to this tenant's notices. */
  async listen(onNotice: (payload: string) => void, onGap: () => void): Promise<() => Promise<void>> {
    return this.#guard(() => this.#driver.listen(this.channel, onNotice, onGap));
  }

  /** The channel of this tenant's notices. Its name does not reveal the tenant. */
  get channel(): string {
    return `threadfold_${this.#hash("channel").toString("hex").slice(0, 32)}`;
  }

  close(): void {
    this.#closed = true;
  }

  /** The tenant is set only for the transaction, so that a pooled connection never carries it over to another one. */
  #opening(): string {
    const tenant = Buffer.from(this.tenant).toString("hex");
    return `${LIMITS}SELECT set_config('threadfold.tenant', convert_from(decode('${tenant}', 'hex'), 'UTF8'), true);`;
  }

  #write<Result>(locks: string, work: (session: SqlSession) => Promise<Result>, isLong = false): Promise<Result> {
    const opening = this.#opening() + locks;
    return this.#guard(() => this.#driver.transaction(opening, (session) => work(this.#qualified(session)), isLong));
  }

  #lock(guarded: Guarded, threadId: string): string {
    return `SELECT pg_advisory_xact_lock(${this.#lockKey(guarded, threadId)});`;
  }

  /** Parts that happen to share a key merely wait for each other. */
  #lockKey(guarded: Guarded, threadId: string): bigint {
    return this.#hash(guarded, threadId).readBigInt64BE();
  }

  #hash(...names: readonly string[]): Buffer {
    return createHash("sha256")
      .update(JSON.stringify([this.place.schema, this.tenant, ...names]))
      .digest();
  }

  #qualified(session: SqlSession): SqlSession {
    return {
      query: (sql, values) => session.query(this.#statement(sql), values),
      script: (sql) => session.script(this.#statement(sql)),
    };
  }

  #statement(sql: string): string {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = inSchema(sql, this.place.schema);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw closedStoreError();
    try {
      return await work();
    } catch (cause) {
      throw asStoreError(cause);
    }
  }
}

/** Returns a statement with the schema in place of `@.`. */
export const inSchema = (sql: string, schema: string): string => sql.replaceAll("@.", `"${schema}".`);

/** A failure that the server reports, as `pg` and PGlite throw it. */
interface ServerError extends Error {
  /** SQLSTATE. */
  readonly code: string;
  readonly table?: string;
  readonly constraint?: string;
  /** The function of the server that raised it. Unlike the message, it is the same in every language. */
  readonly routine?: string;
}

/**
 * Classes of SQLSTATE which mean that what is stored is not what this store wrote, or that its tables are not its own.
 */
const CORRUPT_CLASSES: ReadonlySet<string> = new Set(["22", "23", "42", "P0", "XX"]);
const NOT_ALLOWED = "42501";
const NO_LOGIN = "28000";
/** Where the server checks a row against the policies of its table. */
const POLICY_CHECK = "ExecWithCheckOptions";
const OTHER_USES = "Check that the server is running, has capacity, and lets this role connect.";

/**
 * Returns a failure of PostgreSQL as a Threadfold error, and any other value unchanged. The server's messages may quote
 * rows, so only its code and the names of tables and constraints are repeated.
 */
export function asStoreError(cause: unknown): unknown {
  if (ThreadfoldError.isInstance(cause) || !(cause instanceof Error)) return cause;
  if (isServerError(cause)) return serverError(cause);
  const reason = (cause as NodeJS.ErrnoException).code ?? cause.message;
  if (!isConnectionFailure(cause)) return cause;
  const hint = /timeout/i.test(reason)
    ? `${OTHER_USES} The connection was awaited for as long as connectTimeoutMs allows.`
    : OTHER_USES;
  return new ThreadfoldError("STORE_UNAVAILABLE", `PostgreSQL cannot be reached: ${reason}.`, { hint });
}

function serverError({ code: sqlState, table, constraint, routine }: ServerError): ThreadfoldError {
  const details = { sqlState, ...(table !== undefined && { table }), ...(constraint !== undefined && { constraint }) };
  if (sqlState === ERASED_STATE) return new ThreadfoldError("CONTENT_ERASED", "The content of the thread was erased.");
  if (sqlState === ARCHIVED_STATE) return new ThreadfoldError("THREAD_ARCHIVED", "The thread is archived.");
  if (sqlState === NOT_ALLOWED) return notAllowed(routine, details);
  if (sqlState === NO_LOGIN)
    return new ThreadfoldError("STORE_UNAVAILABLE", `PostgreSQL does not let this role log in (${sqlState}).`, {
      hint: "Give the role LOGIN, and check that pg_hba.conf lets it connect from this machine.",
      details,
    });
  const isCorrupt = CORRUPT_CLASSES.has(sqlState.slice(0, 2));
  const code: ErrorCode = isCorrupt ? "STORE_CORRUPT" : "STORE_UNAVAILABLE";
  const where = constraint ?? table;
  const what = isCorrupt ? "contains data that this store did not write" : "cannot do this now";
  return new ThreadfoldError(code, `PostgreSQL ${what} (${sqlState}${where === undefined ? "" : `, ${where}`}).`, {
    details,
    ...(!isCorrupt && { hint: OTHER_USES }),
  });
}

/** A missing grant can be made up for; what a policy forbids stays forbidden, however often it is tried. */
function notAllowed(routine: string | undefined, details: Readonly<Record<string, unknown>>): ThreadfoldError {
  if (routine === POLICY_CHECK)
    return new ThreadfoldError(
      "INVALID_CONFIG",
      `PostgreSQL refused rows that a row-level security policy keeps from this role (${NOT_ALLOWED}).`,
      {
        hint: "Open the store with a tenantId whose rows the policies let this role write, or have the tables' owner change the policies. No grant is missing.",
        details,
      },
    );
  return new ThreadfoldError(
    "STORE_UNAVAILABLE",
    `PostgreSQL does not allow this role to do what it asked (${NOT_ALLOWED}).`,
    { hint: "Run migratePostgres with the role's name as applicationRole: it grants what is needed.", details },
  );
}

function isServerError(error: Error): error is ServerError {
  const { code } = error as Partial<ServerError>;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("E");
}

/** Recognizes failures below SQL, which have a system's code, or can be told only by the message of `pg`. */
function isConnectionFailure(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    (typeof code === "string" && (error as NodeJS.ErrnoException).syscall !== undefined) ||
    error instanceof AggregateError ||
    /connection|connect|client (?:was|has)|ended|timeout|timed out|ssl/i.test(error.message)
  );
}
