import { objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";

/** How many records are looked at: the header may be lost, but messages follow soon. */
const SAMPLE = 50;

const ROLES = new Set(["user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage"]);

/** How sure it is that the source is a pi session: its header decides, or else entries that wrap messages. */
export function detectPi({ records }: SourceRecords): number {
  let sureness = 0;
  for (const { value } of records.slice(0, SAMPLE)) {
    const entry = objectOf(value);
    if (entry?.type === "session" && textOf(entry.id) !== undefined && entry.payload === undefined) return 1;
    if (entry?.type === "message" && ROLES.has(textOf(objectOf(entry.message)?.role) ?? "")) sureness = 0.8;
  }
  return sureness;
}
