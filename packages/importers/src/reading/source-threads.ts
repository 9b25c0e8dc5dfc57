import { ThreadfoldError } from "@threadfold/core";
import { type ForeignObject, nonEmptyText, objectOf } from "./foreign-value.ts";
import type { SourceRecord, SourceRecords } from "./source-records.ts";

/** One of the threads of a source that contains several. */
export interface SourceThread {
  /** The name in the source: the id of a session or of a task. Absent when it has none. */
  readonly name?: string;
  readonly records: readonly SourceRecord[];
}

/** Fields that name the subject of a document, in order of preference. */
const NAMES = ["instance_id", "session_id", "sessionId", "conversation_id", "thread_id", "id"];

/**
 * Returns the threads of a source that has one document per line, each a separate thread.
 *
 * @param holds checks whether a value is such a document; all of them must be.
 */
export function documentThreads(
  { records }: SourceRecords,
  holds: (value: unknown) => boolean,
  nameOf: (document: ForeignObject) => string | undefined = ownName,
): readonly SourceThread[] {
  if (records.length < 2 || !records.every(({ value }) => holds(value))) return [];
  return records.map((record): SourceThread => {
    const name = nameOf(objectOf(record.value) ?? {})?.toWellFormed();
    return name === undefined ? { records: [record] } : { name, records: [record] };
  });
}

function ownName(document: ForeignObject): string | undefined {
  for (const field of NAMES) {
    const name = nonEmptyText(document[field]);
    if (name !== undefined) return name;
  }
  return undefined;
}

/**
 * Finds the requested thread among those of a source.
 *
 * @param wanted its position, from 1, or its name.
 * @returns its position, from 1.
 * @throws ThreadfoldError `INVALID_CONFIG` when the source has no such thread; the message and `details.names` list
 *   those that exist.
 */
export function pickThread(threads: readonly SourceThread[], wanted: number | string): number {
  const count = Math.max(1, threads.length);
  const place = typeof wanted === "string" ? threads.findIndex(({ name }) => name === wanted) + 1 : wanted;
  if (Number.isInteger(place) && place >= 1 && place <= count) return place;
  const names = namesOf(threads);
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `The source has ${count} ${count === 1 ? "thread" : "threads"}; ` +
      `there is no thread ${String(wanted).slice(0, 100).toWellFormed()}${listedNames(names)}.`,
    {
      hint:
        count === 1
          ? "Do not name a thread."
          : `Give a thread from 1 to ${count}${names === undefined ? "" : ", or its name"}.`,
      details: {
        thread: typeof wanted === "string" ? wanted.slice(0, 100).toWellFormed() : String(wanted),
        threads: count,
        ...(names && { names }),
      },
    },
  );
}

/** Returns the names of the threads; undefined when the source names none of them. */
export function namesOf(threads: readonly SourceThread[]): readonly string[] | undefined {
  const hasNames = threads.some(({ name }) => name !== undefined);
  return hasNames ? threads.map(({ name }, index) => name ?? String(index + 1)) : undefined;
}

/** Maximum number of thread names that a sentence lists. */
const LISTED_NAMES = 20;

/** Returns the names of a source's threads in parentheses, for the end of a sentence; empty when there are none. */
export function listedNames(names: readonly string[] | undefined): string {
  if (names === undefined || names.length === 0) return "";
  const more = names.length > LISTED_NAMES ? ` and ${names.length - LISTED_NAMES} more` : "";
  return ` (they are ${names.slice(0, LISTED_NAMES).join(", ")}${more})`;
}
