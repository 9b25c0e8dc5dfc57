import {
  type Clock,
  isSealedText,
  refuseArgument,
  SEALED_PREFIX,
  type ThreadEntry,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";

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
 * Checks the time that a caller wants recorded, before anything that the record is about is done.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function checkTimeOption(at: unknown): void {
  if (!z.iso.datetime().safeParse(at).success) refuseArgument("at", "it has to be an ISO 8601 time in UTC.");
}

/** Checks a text that a caller wants recorded. @throws ThreadfoldError `INVALID_CONFIG` that names its option. */
export function checkTextOption(option: string, text: unknown): void {
  if (typeof text !== "string" || text.trim() === "" || !isPlainText(text))
    refuseArgument(option, "it has to be a well-formed text that is not empty.");
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

/** The part of an entry's body, in characters, in which its sealed text begins: before it are only ids and a time. */
const BEFORE_SEALED = 4_096;

/** SQL for a body that may be that of a sealed entry, in all databases: a quote within a text has a backslash. */
export const MAY_BE_SEALED = `substr(body, 1, ${BEFORE_SEALED}) LIKE '%:"${SEALED_PREFIX}%'`;

/** What stands in a sealed tool result for its name and its call. */
export const SEALED_NAME = "sealed";

/** Checks whether an entry is as an encrypted store passes it on, checked or not: its only text is an envelope. */
export function isSealedEntry(entry: ThreadEntryInput): boolean {
  return isSealedText(onlyText(entry));
}

function onlyText(entry: ThreadEntryInput): unknown {
  switch (entry.type) {
    case "message": {
      const [part, ...others] = Array.isArray(entry.message?.parts) ? entry.message.parts : [];
      if (others.length > 0) return undefined;
      if (part?.type === "text") return part.text;
      const { callId, content } = (part?.type === "tool-result" && part.result) || {};
      return callId === SEALED_NAME && content?.type === "text" ? content.text : undefined;
    }
    case "pin":
      return entry.pin?.text;
    case "pin-lifted":
      return entry.reason;
  }
}

/**
 * Refuses what is in the clear for a thread whose content is sealed: a process that was started without the keys would
 * write what anybody can read, and with the keys it would never open again, nor a thread with such entries or plans. The
 * first entry tells, because no text that comes later can make a thread in the clear look sealed.
 *
 * @param areSealed whether all that is to be written is sealed.
 * @param readFirst reads the thread's first entry; undefined when there is none, or when it is not sealed.
 * @throws ThreadfoldError `KEY_MISSING`.
 */
export function requireSeals(threadId: ThreadId, areSealed: boolean, readFirst: () => ThreadEntry | undefined): void {
  if (areSealed) return;
  const first = readFirst();
  if (first !== undefined && isSealedEntry(first)) throw openedWithoutKeys(threadId);
}

/**
 * The error for work on a sealed thread in a store that was opened without keys.
 *
 * @param what what of the thread is sealed; the whole of it by default.
 */
export function openedWithoutKeys(threadId: ThreadId, what = `Thread ${threadId}`): ThreadfoldError {
  return new ThreadfoldError("KEY_MISSING", `${what} is sealed, and the store was opened without its keys.`, {
    hint: "Open the store with the keys that sealed it: openStore(address, { encryption: { keys } }). Nothing was written.",
    details: { threadId },
  });
}
