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
import { isPlainText } from "./checked-arguments.ts";

/**
 * The next entry of a journal, frozen and apart from the record that was handed in, with the record's canonical JSON.
 *
 * @throws ThreadfoldError `INVALID_JSON` for a record that canonical JSON cannot express, `INVALID_CONFIG` for a time
 * that is no plain text.
 */
export function sealJournalEntry(
  previous: JournalEntry | null,
  threadId: ThreadId,
  record: JournalRecord,
  at: string,
): { readonly entry: JournalEntry; readonly record: string } {
  if (typeof at !== "string" || !isPlainText(at))
    throw new ThreadfoldError("INVALID_CONFIG", "The journal's time has to be a text.");
  const serialized = canonicalJson(record);
  const entry = nextJournalEntry(previous, threadId, parseJson(serialized) as JournalRecord, at);
  return { entry: freezeDeep(entry), record: serialized };
}
