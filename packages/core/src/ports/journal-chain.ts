import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { digestOf } from "../json/digest.ts";
import { sha256 } from "../json/sha256.ts";
import type { ThreadId } from "../model/ids.ts";
import type { JournalEntry, JournalRecord } from "./audit-journal.ts";

/** What the first entry of every journal links to. */
export const JOURNAL_START = sha256("threadfold-journal-v1");

/** The entry that follows `previous` in a thread's journal. */
export function nextJournalEntry(
  previous: JournalEntry | null,
  threadId: ThreadId,
  record: JournalRecord,
  at: string,
): JournalEntry {
  const unsealed = {
    sequence: (previous?.sequence ?? 0) + 1,
    threadId,
    at,
    record,
    previousHash: previous?.hash ?? JOURNAL_START,
  };
  return { ...unsealed, hash: digestOf(unsealed) };
}

/** The first entry that does not follow from the one before it, or null when the chain holds. */
export function firstBrokenEntry(
  entries: readonly JournalEntry[],
): { readonly sequence: number; readonly reason: string } | null {
  let previous: JournalEntry | null = null;
  for (const entry of entries) {
    const expected = rebuiltEntry(previous, entry);
    const sequence = (previous?.sequence ?? 0) + 1;
    if (entry.sequence !== sequence) return { sequence, reason: "an entry is missing or out of order" };
    if (expected === null) return { sequence, reason: "it holds what cannot be hashed" };
    if (entry.previousHash !== expected.previousHash)
      return { sequence, reason: "it does not link to the entry before" };
    if (entry.hash !== expected.hash) return { sequence, reason: "its content does not match its hash" };
    previous = entry;
  }
  return null;
}

/** Null for content that no entry can have been made of, such as a torn surrogate: a finding, not a failure. */
function rebuiltEntry(previous: JournalEntry | null, entry: JournalEntry): JournalEntry | null {
  try {
    return nextJournalEntry(previous, entry.threadId, entry.record, entry.at);
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) return null;
    throw error;
  }
}
