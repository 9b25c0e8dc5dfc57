import {
  freezeDeep,
  type JournalEntry,
  type JournalRecord,
  parseJson,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";

/** An entry as tables keep it. */
export interface JournalRow {
  readonly sequence: number;
  readonly at: string;
  readonly record: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** An entry from its row. @throws ThreadfoldError `STORE_CORRUPT` when its record is no JSON. */
export function journalEntryOf(
  { sequence, at, record, previous_hash: previousHash, hash }: JournalRow,
  threadId: ThreadId,
): JournalEntry {
  return freezeDeep({ sequence, threadId, at, record: parseRecord(record, threadId, sequence), previousHash, hash });
}

function parseRecord(text: string, threadId: ThreadId, sequence: number): JournalRecord {
  try {
    return parseJson(text) as JournalRecord;
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", `Journal entry ${sequence} of thread ${threadId} cannot be read.`, {
      cause,
      details: { threadId, sequence },
    });
  }
}
