import { type ErrorCode, ThreadfoldError } from "@threadfold/core";
import { ERASED_STATE } from "./erasure-schema.ts";

/** What a failure that the server reports looks like, by `pg` and by PGlite. */
interface ServerError extends Error {
  /** SQLSTATE. */
  readonly code: string;
  readonly table?: string;
  readonly constraint?: string;
}

/** Classes of SQLSTATE that say that what is stored is not what this store wrote, or that its tables are not its own. */
const CORRUPT_CLASSES: ReadonlySet<string> = new Set(["22", "23", "42", "P0", "XX"]);
const NOT_ALLOWED = "42501";
const OTHER_USES = "Check that the server runs, has room, and lets this role in.";

/**
 * A failure of PostgreSQL as a Threadfold error; any other value as it is. What the server says in prose may quote
 * rows, so only its code and the names of tables and constraints are repeated.
 */
export function asStoreError(cause: unknown): unknown {
  if (ThreadfoldError.isInstance(cause) || !(cause instanceof Error)) return cause;
  if (isServerError(cause)) return serverError(cause);
  const reason = (cause as NodeJS.ErrnoException).code ?? cause.message;
  if (!isConnectionFailure(cause)) return cause;
  const hint = /timeout/i.test(reason)
    ? `${OTHER_USES} It was waited for as long as connectTimeoutMs says.`
    : OTHER_USES;
  return new ThreadfoldError("STORE_UNAVAILABLE", `PostgreSQL cannot be reached: ${reason}.`, { hint });
}

/** What a statement ends in that nobody answered. Whether it was done is not known. */
export function postgresSilent(option: string, milliseconds: number): ThreadfoldError {
  const waitedFor = "PostgreSQL";
  return new ThreadfoldError("STORE_UNAVAILABLE", `PostgreSQL gave no answer within ${milliseconds} ms.`, {
    details: { waitedFor, milliseconds, option },
    hint: `Look for what lies between here and the server, or raise ${option}. What was asked may have been done: ask again, with the same idempotency key.`,
  });
}

export const isPostgresSilent = (error: unknown): error is ThreadfoldError =>
  ThreadfoldError.isInstance(error) && error.details["waitedFor"] === "PostgreSQL";

function serverError({ code: sqlState, table, constraint }: ServerError): ThreadfoldError {
  const details = { sqlState, ...(table !== undefined && { table }), ...(constraint !== undefined && { constraint }) };
  if (sqlState === ERASED_STATE) return new ThreadfoldError("CONTENT_ERASED", "The content of the thread was erased.");
  if (sqlState === NOT_ALLOWED) {
    return new ThreadfoldError(
      "STORE_UNAVAILABLE",
      `PostgreSQL does not allow this role what it asked (${sqlState}).`,
      {
        hint: "Run migratePostgres with the role's name as applicationRole: it grants what is needed.",
        details,
      },
    );
  }
  const isCorrupt = CORRUPT_CLASSES.has(sqlState.slice(0, 2));
  const code: ErrorCode = isCorrupt ? "STORE_CORRUPT" : "STORE_UNAVAILABLE";
  const where = constraint ?? table;
  const what = isCorrupt ? "holds something else than what this store wrote" : "cannot do this now";
  return new ThreadfoldError(code, `PostgreSQL ${what} (${sqlState}${where === undefined ? "" : `, ${where}`}).`, {
    details,
    ...(!isCorrupt && { hint: OTHER_USES }),
  });
}

function isServerError(error: Error): error is ServerError {
  const { code } = error as Partial<ServerError>;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("E");
}

/** Failures below SQL have a system's code, or are told apart by what `pg` says alone. */
function isConnectionFailure(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    (typeof code === "string" && (error as NodeJS.ErrnoException).syscall !== undefined) ||
    error instanceof AggregateError ||
    /connection|connect|client (?:was|has)|ended|timeout|timed out|ssl/i.test(error.message)
  );
}
