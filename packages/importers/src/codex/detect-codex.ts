import { objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";

/** How many records are looked at. */
const SAMPLE = 50;

const TYPES = new Set([
  ...["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"],
  "inter_agent_communication_metadata",
]);

/** How sure it is that the source is a rollout of Codex: lines in its envelope, or the header of the first rollouts. */
export function detectCodex({ records }: SourceRecords): number {
  for (const { value } of records.slice(0, SAMPLE)) {
    const line = objectOf(value);
    if (objectOf(line?.payload) !== undefined && TYPES.has(textOf(line?.type) ?? "")) return 1;
  }
  const header = objectOf(records[0]?.value);
  const isHeader = textOf(header?.id) !== undefined && header?.type === undefined && header?.role === undefined;
  return isHeader && records.length > 1 && "instructions" in (header ?? {}) ? 0.97 : 0;
}
