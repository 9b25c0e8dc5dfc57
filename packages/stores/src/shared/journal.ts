import {
  canonicalJson,
  freezeDeep,
  type JournalEntry,
  type JournalRecord,
  nextJournalEntry,
  parseJson,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { isPlainText, wholeNumber } from "./store-basics.ts";

/**
 * Builds the next entry of a journal, frozen and independent of the record passed in, with the record's canonical JSON.
 *
 * @throws ThreadfoldError `INVALID_JSON` for a record that canonical JSON cannot express, `INVALID_CONFIG` for a time
 * that is not plain text.
 */
export function sealJournalEntry(
  previous: JournalEntry | null,
  threadId: ThreadId,
  record: JournalRecord,
  at: string,
): { readonly entry: JournalEntry; readonly record: string } {
  if (typeof at !== "string" || !isPlainText(at))
    throw new ThreadfoldError("INVALID_CONFIG", "The journal's time has to be a string.");
  const serialized = canonicalJson(record);
  const entry = nextJournalEntry(previous, threadId, parseJson(serialized) as JournalRecord, at, serialized);
  return { entry: freezeDeep(entry), record: serialized };
}

/**
 * Checks the options of a journal read and applies the defaults, which read everything.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when one of them is not a whole number of at least 0.
 */
export function journalRange(options: { readonly after?: number; readonly limit?: number } = {}): {
  readonly after: number;
  readonly limit: number;
} {
  return {
    after: wholeNumber("after", options.after, 0, 0),
    limit: wholeNumber("limit", options.limit, 0, Number.MAX_SAFE_INTEGER),
  };
}

/** A journal entry's row in the tables. */
export interface JournalRow {
  readonly sequence: number;
  readonly at: string;
  readonly record: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/**
 * Returns the entry in a row, enough to link the next one to it. @throws ThreadfoldError `STORE_CORRUPT` when its
 * record is not JSON.
 */
export function journalEntryOf(
  { sequence, at, record, previous_hash: previousHash, hash }: JournalRow,
  threadId: ThreadId,
): JournalEntry {
  return freezeDeep({ sequence, threadId, at, record: parseRecord(record, threadId, sequence), previousHash, hash });
}

/**
 * Returns the entry in a row for a reader. Readers rely on the shape of its record, so an entry that does not match its
 * own hash is refused. Checking the chain as a whole is left to `verifyStore`.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when the record is not JSON, or does not match the hash.
 */
export function readJournalEntry(row: JournalRow, threadId: ThreadId): JournalEntry {
  const entry = journalEntryOf(row, threadId);
  const before = { ...entry, sequence: entry.sequence - 1, hash: entry.previousHash };
  if (nextJournalEntry(before, threadId, entry.record, entry.at, row.record).hash === entry.hash) return entry;
  throw damaged(threadId, entry.sequence, "does not match its hash");
}

function parseRecord(text: string, threadId: ThreadId, sequence: number): JournalRecord {
  try {
    return parseJson(text) as JournalRecord;
  } catch (cause) {
    throw damaged(threadId, sequence, "cannot be read", cause);
  }
}

const damaged = (threadId: ThreadId, sequence: number, what: string, cause?: unknown): ThreadfoldError =>
  new ThreadfoldError("STORE_CORRUPT", `Journal entry ${sequence} of thread ${threadId} ${what}.`, {
    ...(cause !== undefined && { cause }),
    details: { threadId, sequence },
  });

const PREFIX = "keyed:";

/**
 * Checks whether a digest was made with a subject's key, as an encrypted store does for digests of plain content: bare
 * ones would let anybody confirm a guess of the content, even after it was erased. Only the key's holder can compare
 * it.
 */
export const isKeyedDigest = (digest: unknown): boolean => typeof digest === "string" && digest.startsWith(PREFIX);

/** Marks a text as a keyed digest. */
export const asKeyedDigest = (text: string): string => PREFIX + text;
