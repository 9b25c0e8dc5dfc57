import type { AgentThread, Pin, PinId, PinLiftedEntry } from "@threadfold/core";
import type { PinRow } from "../rows/plan-row.ts";

/** The standing instructions of a thread, in the order in which they were made; and the calls that lacked each. */
export function pinRows(thread: AgentThread, missing: ReadonlyMap<PinId, readonly number[]>): readonly PinRow[] {
  const rows = new Map<PinId, PinRow>();
  for (const { version, entry } of thread.entriesInMemory()) {
    if (entry.type === "pin") rows.set(entry.pin.id, madeRow(entry.pin, version, thread, missing));
    if (entry.type === "pin-lifted") lift(rows, entry, version);
  }
  return [...rows.values()];
}

function madeRow(
  { id, text, authority, origin, source }: Pin,
  madeAt: number,
  thread: AgentThread,
  missing: ReadonlyMap<PinId, readonly number[]>,
): PinRow {
  const message = source === undefined ? undefined : thread.messageInMemory(source.messageId);
  return {
    ...{ id, text, authority, origin, madeAt },
    liftedAt: null,
    liftedWhy: null,
    message: message?.ordinal ?? -1,
    missing: missing.get(id) ?? [],
  };
}

function lift(rows: Map<PinId, PinRow>, { pinId, why, reason }: PinLiftedEntry, version: number): void {
  const row = rows.get(pinId);
  if (row !== undefined) rows.set(pinId, { ...row, liftedAt: version, liftedWhy: why ?? reason });
}
