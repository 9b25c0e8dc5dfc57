import {
  canonicalJson,
  firstBrokenEntry,
  type JournalEntry,
  type JournalRecord,
  type ThreadId,
} from "@threadfold/core";
import type { CheckedLog } from "./check-entries.ts";
import type { Problem } from "./store-finding.ts";
import type { StoredJournalEntry } from "./stored-rows.ts";

/** What is known of a journal once it was checked. */
export interface CheckedJournal {
  readonly problem: Problem;
  /** The entries before the first bad one. */
  readonly entries: readonly JournalEntry[];
}

/** Follows a journal's chain from its start. */
export async function checkJournal(
  threadId: ThreadId,
  rows: AsyncIterable<StoredJournalEntry>,
): Promise<CheckedJournal> {
  const entries: JournalEntry[] = [];
  let unreadable: Problem = null;
  for await (const { record, ...rest } of rows) {
    const parsed = parseRecord(record);
    if (parsed === null) {
      unreadable = { at: rest.sequence, problem: "its record cannot be read" };
      break;
    }
    entries.push({ ...rest, threadId, record: parsed });
  }
  const broken = firstBrokenEntry(entries);
  if (broken === null) return { problem: unreadable, entries };
  return { problem: { at: broken.sequence, problem: broken.reason }, entries: entries.slice(0, broken.sequence - 1) };
}

/**
 * Holds a log against what the journal recorded of it. A chain shows what was changed within it; only a record made
 * elsewhere shows that its end was cut off.
 */
export function checkLogAgainstJournal(log: CheckedLog, journal: readonly JournalEntry[]): Problem {
  const entries = log.links.length - 1;
  for (const { sequence, record } of journal) {
    if (!("threadVersion" in record)) continue;
    if (record.threadVersion > entries) {
      return {
        at: entries + 1,
        problem: `it is missing: journal entry ${sequence} speaks of version ${record.threadVersion}`,
      };
    }
    if (record.type === "entries-appended" && log.links[record.threadVersion] !== record.threadDigest) {
      return {
        at: record.threadVersion,
        problem: `the thread's digest there is not the one of journal entry ${sequence}`,
      };
    }
  }
  return null;
}

function parseRecord(text: string): JournalRecord | null {
  try {
    const record: unknown = JSON.parse(text);
    return typeof record === "object" && record !== null && canonicalJson(record) === text
      ? (record as JournalRecord)
      : null;
  } catch {
    return null;
  }
}
