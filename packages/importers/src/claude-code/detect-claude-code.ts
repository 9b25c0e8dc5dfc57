import { objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";

/** How many records are looked at: summaries and snapshots may come first in numbers. */
const SAMPLE = 200;

/** How sure it is that the source is a Claude Code session: lines that wrap messages with ids, or its other records. */
export function detectClaudeCode({ records }: SourceRecords): number {
  let sureness = 0;
  for (const { value } of records.slice(0, SAMPLE)) {
    const line = objectOf(value);
    const type = textOf(line?.type);
    if (line === undefined || type === undefined) continue;
    const isMessage = (type === "user" || type === "assistant") && objectOf(line.message)?.role === type;
    if (isMessage && (textOf(line.uuid) !== undefined || textOf(line.sessionId) !== undefined)) return 1;
    if (isMessage || isSideRecord(type, line)) sureness = 0.8;
  }
  return sureness;
}

function isSideRecord(type: string, line: Readonly<Record<string, unknown>>): boolean {
  if (type === "summary") return line.leafUuid !== undefined;
  if (type === "file-history-snapshot") return line.snapshot !== undefined;
  return (type === "progress" || type === "system") && line.sessionId !== undefined && line.uuid !== undefined;
}
