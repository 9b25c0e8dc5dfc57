import { type Clock, ThreadfoldError, type ThreadId } from "@threadfold/core";

/** Options for opening a store. */
export interface StoreOptions {
  /** Supplies the time, for expiry and for the times in `ThreadInfo`. The machine's clock by default. */
  readonly clock?: Clock;
}

/** The machine's clock. This is where real time enters; tests and replays pass a pinned clock. */
export const systemClock: Clock = Object.freeze({ now: () => Date.now() });

/**
 * Checks that every backend can store an id and return it unchanged: 1 to 512 characters, no lone surrogates (they
 * would all become the same replacement character) and no NUL (C strings end there).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when it is not such an id.
 */
export function checkThreadId(threadId: ThreadId): void {
  // Not with a schema: every call on a store comes through here.
  if (isIdText(threadId)) return;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    "threadId has to be a well-formed text of 1 to 512 characters without NUL.",
  );
}

/** Checks an idempotency key by the same rules. @throws ThreadfoldError `INVALID_CONFIG`. */
export function checkIdempotencyKey(key: string | undefined): void {
  if (key === undefined || isIdText(key)) return;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    "idempotencyKey has to be a well-formed text of 1 to 512 characters without NUL.",
  );
}

const isIdText = (value: unknown): boolean =>
  typeof value === "string" && value.length > 0 && value.length <= 512 && isPlainText(value);

/** Checks whether every backend would return a text exactly as it was stored. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/**
 * Returns the whole number in an option, or its default.
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

/** The error thrown by every call on a closed store. */
export function closedStoreError(): ThreadfoldError {
  return new ThreadfoldError("STORE_UNAVAILABLE", "The store is closed.", { hint: "Open it again." });
}

/** Number of entries from which an append yields to the event loop; fewer are appended quickly. */
export const MANY_ENTRIES = 128;
