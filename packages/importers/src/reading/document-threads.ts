import { type ForeignObject, nonEmptyText, objectOf } from "./foreign-value.ts";
import type { SourceRecords } from "./source-records.ts";
import type { SourceThread } from "./source-thread.ts";

/** Fields by which documents name what they are about, in order of preference. */
const NAMES = ["instance_id", "session_id", "sessionId", "conversation_id", "thread_id", "id"];

/**
 * The threads of a source that has one document a line, each a thread of its own.
 *
 * @param holds says whether a value is such a document; all of them must be.
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
