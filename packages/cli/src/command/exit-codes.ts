import type { ErrorCode } from "@threadfold/core";

/** Every exit code of the command, by its meaning for a script. Part of the public interface: codes never change. */
export const EXIT_CODES = Object.freeze({
  ok: 0,
  failed: 1,
  usage: 2,
  verificationFailed: 3,
  conflict: 4,
  notFound: 5,
  doesNotFit: 6,
  storeUnavailable: 7,
  interrupted: 130,
});

/** Name of an exit code. */
export type ExitName = keyof typeof EXIT_CODES;

/** What each exit code means, as printed in the help. */
export const EXIT_MEANINGS: Readonly<Record<ExitName, string>> = Object.freeze({
  ok: "ok",
  failed: "failed: the input or the output is not usable; the message says why",
  usage: "usage: the command line was not understood",
  verificationFailed: "verification failed: tampered or damaged data, or bytes that differ",
  conflict: "conflict: another writer was first, or an id is already used for other content",
  notFound: "not found: no such file, thread, message or plan",
  doesNotFit: "does not fit: what cannot be folded exceeds the budget",
  storeUnavailable: "store unavailable, or the file belongs to another program",
  interrupted: "interrupted (Ctrl-C); nothing is left half-written",
});

/** The exit code of every error. The record is total: a new error code does not compile without an entry here. */
export const EXIT_OF_ERROR: Readonly<Record<ErrorCode, ExitName>> = Object.freeze({
  INVALID_JSON: "failed",
  INVALID_MESSAGE: "failed",
  INVALID_PLAN: "verificationFailed",
  INVALID_CONFIG: "usage",
  DUPLICATE_MESSAGE_ID: "conflict",
  INVALID_PIN: "failed",
  INVALID_QUERY: "usage",
  UNREADABLE_SOURCE: "failed",
  EMPTY_SOURCE: "failed",
  UNKNOWN_FORMAT: "failed",
  WRONG_FORMAT: "failed",
  SOURCE_TOO_LARGE: "failed",
  CORRUPT_ARCHIVE: "failed",
  BUDGET_INFEASIBLE: "doesNotFit",
  PLAN_CONFLICT: "conflict",
  PIN_MISSING: "verificationFailed",
  ILLEGAL_REQUEST: "verificationFailed",
  SUMMARIZER_FAILED: "failed",
  MODEL_CALL_FAILED: "failed",
  ABORTED: "interrupted",
  THREAD_NOT_FOUND: "notFound",
  MESSAGE_NOT_FOUND: "notFound",
  PLAN_NOT_FOUND: "notFound",
  REQUEST_NOT_FOUND: "notFound",
  ARTIFACT_NOT_FOUND: "notFound",
  VERSION_CONFLICT: "conflict",
  IDEMPOTENCY_MISMATCH: "conflict",
  STORE_UNAVAILABLE: "storeUnavailable",
  STORE_FOREIGN: "storeUnavailable",
  STORE_UNSAFE_ROLE: "storeUnavailable",
  QUEUE_UNAVAILABLE: "storeUnavailable",
  STORE_CORRUPT: "verificationFailed",
  HISTORY_NOT_LOADED: "failed",
  HISTORY_DIVERGED: "conflict",
  CONTENT_ERASED: "notFound",
  THREAD_ARCHIVED: "notFound",
  THREAD_IN_USE: "conflict",
  UNSEAL_FAILED: "verificationFailed",
  TIMED_OUT: "storeUnavailable",
  KEY_MISSING: "storeUnavailable",
  KEY_MISMATCH: "storeUnavailable",
  REPLAY_MISMATCH: "verificationFailed",
  USAGE: "usage",
  OUTPUT_UNWRITABLE: "failed",
});
