import type { SourceRecord, SourceRecords } from "../reading/source-records.ts";
import type { SourceThread } from "../reading/source-thread.ts";
import { opencodeRow } from "./opencode-row.ts";

/**
 * The sessions of an export of the database, in the order in which they come up: those of sub-agents are threads of
 * their own. A row that belongs to no session goes with the first.
 */
export function opencodeThreads({ records }: SourceRecords): readonly SourceThread[] {
  if (records.length < 2) return [];
  const sessions = new Map<string, SourceRecord[]>();
  const stray: SourceRecord[] = [];
  const messages = new Map<string, string>();
  for (const record of records) {
    const row = opencodeRow(record.value, { line: record.line });
    const sessionId = row?.sessionId ?? messages.get(row?.messageId ?? "");
    if (row?.table === "message" && row.id !== undefined && sessionId !== undefined) messages.set(row.id, sessionId);
    const session = sessionId === undefined ? stray : sessions.get(sessionId);
    if (session !== undefined) session.push(record);
    else if (sessionId !== undefined) sessions.set(sessionId, [record]);
  }
  const threads = [...sessions].map(([id, own]): SourceThread => ({ name: id.toWellFormed(), records: own }));
  const [first, ...rest] = threads;
  if (first === undefined || stray.length === 0) return threads;
  const inOrder = [...first.records, ...stray].sort((a, b) => a.line - b.line);
  return [{ ...first, records: inOrder }, ...rest];
}
