import { spanOf } from "../groups/span-reference.ts";
import type { MessageId } from "../model/ids.ts";
import { restrictSummary } from "../summary/restrict-summary.ts";
import { type PlanRecord, removesMessages } from "./plan-record.ts";
import type { ThreadShape } from "./thread-shape.ts";

/** A record and the ordinal of its first message. */
export interface PlacedRecord {
  readonly first: number;
  readonly record: PlanRecord;
}

/**
 * The records that remain of one when it holds just the given messages. A record that removes messages becomes one per
 * unbroken run; its summary's items go to the run that they were taken from. Messages of side branches break no run,
 * because no prompt shows them.
 */
export function splitRecord(
  record: PlanRecord,
  ordinals: readonly number[],
  shape: ThreadShape,
): readonly PlacedRecord[] {
  const runs = removesMessages(record) ? unbrokenRuns(ordinals, shape) : [ordinals];
  const ids = runs.map((run) => run.map((ordinal) => shape.header(ordinal).id));
  return runs.map((run, index) => ({ first: run[0] as number, record: restrict(record, run, ids, index, shape) }));
}

function unbrokenRuns(ordinals: readonly number[], shape: ThreadShape): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const ordinal of ordinals) {
    const run = runs.at(-1);
    const previous = run?.at(-1);
    if (run !== undefined && previous !== undefined && nothingShownBetween(previous, ordinal, shape)) run.push(ordinal);
    else runs.push([ordinal]);
  }
  return runs;
}

function nothingShownBetween(from: number, to: number, shape: ThreadShape): boolean {
  for (let ordinal = from + 1; ordinal < to; ordinal++) if (shape.header(ordinal).branch === undefined) return false;
  return true;
}

function restrict(
  record: PlanRecord,
  run: readonly number[],
  runs: readonly (readonly MessageId[])[],
  index: number,
  shape: ThreadShape,
): PlanRecord {
  const headers = run.map((ordinal) => shape.header(ordinal));
  const known = record.span.messageIds;
  if (known.length === headers.length && headers.every((header, at) => header.id === known[at])) return record;
  const span = spanOf(headers);
  const originalTokens = headers.reduce((sum, header) => sum + header.tokens, 0);
  if (record.action === "clear" || record.action === "drop") return { ...record, span, originalTokens };
  return { ...record, span, originalTokens, summary: restrictSummary(record.summary, span, runs, index) };
}
