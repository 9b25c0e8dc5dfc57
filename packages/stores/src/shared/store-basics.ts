import { type Clock, ThreadfoldError, type ThreadId } from "@threadfold/core";

/** How a store is opened. */
export interface StoreOptions {
  /** Says what time it is, for expiry and for the times in `ThreadInfo`. The machine's clock by default. */
  readonly clock?: Clock;
}

/** The machine's clock. This is the edge where time comes in; tests and replays hand in a pinned one. */
export const systemClock: Clock = Object.freeze({ now: () => Date.now() });

/**
 * Accepts an id that every backend can keep and return unchanged: 1 to 512 characters, no lone surrogates (they
 * would become one and the same replacement character) and no NUL (C strings end there).
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function checkThreadId(threadId: ThreadId): void {
  // Not by the schema: every call on a store comes through here.
  if (isIdText(threadId)) return;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    "threadId has to be a well-formed text of 1 to 512 characters without NUL.",
  );
}

/** Accepts an idempotency key by the same rules. @throws ThreadfoldError `INVALID_CONFIG`. */
export function checkIdempotencyKey(key: string | undefined): void {
  if (key === undefined || isIdText(key)) return;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    "idempotencyKey has to be a well-formed text of 1 to 512 characters without NUL.",
  );
}

const isIdText = (value: unknown): boolean =>
  typeof value === "string" && value.length > 0 && value.length <= 512 && isPlainText(value);

/** True for a text that every backend returns as it was stored. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/**
 * A whole number that an option holds, or its default.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when it is not a whole number of at least `minimum`.
 */
export function wholeNumber(name: string, value: number | undefined, minimum: number, fallback: number): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= minimum) return value;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `${name} is ${String(value)}; it has to be a whole number of at least ${minimum}.`,
  );
}

/** The error of every call on a closed store. */
export function closedStoreError(): ThreadfoldError {
  return new ThreadfoldError("STORE_UNAVAILABLE", "The store is closed.", { hint: "Open it again." });
}

/** From how many entries on an append lets the event loop turn: fewer are soon appended. */
export const MANY_ENTRIES = 128;
