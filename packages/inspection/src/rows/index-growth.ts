import type { BodyLists } from "./bodies.ts";
import type { BlockRow, BreakRow, CallCost, FrameRow, RequestRow } from "./call-row.ts";
import type { InspectionIndex } from "./inspection-index.ts";
import type { LoggedMessage, MessagePlace } from "./message-row.ts";
import type { AttemptRow, PlanRow, RecordRow } from "./plan-row.ts";
import type { Columns, ColumnsGrowth, RowsGrowth } from "./table.ts";

/**
 * The additions to an index since an earlier revision. The bill is a separate piece, computed again on each request.
 */
export interface IndexGrowth extends Pick<InspectionIndex, GrownWhole> {
  readonly messages: ColumnsGrowth<LoggedMessage>;
  readonly places: ColumnsGrowth<MessagePlace>;
  readonly requests: ColumnsGrowth<RequestRow>;
  readonly costs: ColumnsGrowth<CallCost>;
  readonly blocks: ColumnsGrowth<BlockRow>;
  readonly breaks: RowsGrowth<BreakRow>;
  readonly frames: RowsGrowth<FrameRow>;
  readonly plans: RowsGrowth<PlanRow>;
  readonly records: RowsGrowth<RecordRow>;
  readonly attempts: RowsGrowth<AttemptRow>;
  readonly chunks: { readonly [List in keyof BodyLists]: RowsGrowth<number> };
}

/** Small fields, which are sent in full each time. */
type GrownWhole = "revision" | "madeAt" | "thread" | "tools" | "pins" | "integrity";

/**
 * Returns an index with the additions since. Every table is a new object, so that anyone who caches something derived
 * from a table sees that it grew; its columns are the same lists, now longer, so the old index must no longer be used.
 */
export function grownIndex(index: InspectionIndex, growth: IndexGrowth): InspectionIndex {
  const { messages, places, requests, costs, blocks, breaks, frames, plans, records, attempts, chunks, ...whole } =
    growth;
  return {
    ...index,
    ...whole,
    messages: grownColumns(grownColumns(index.messages, messages), places),
    calls: grownColumns(grownColumns(index.calls, requests), costs),
    blocks: grownColumns(index.blocks, blocks),
    breaks: grownRows(index.breaks, breaks),
    frames: grownRows(index.frames, frames),
    plans: grownRows(index.plans, plans),
    records: grownRows(index.records, records),
    attempts: grownRows(index.attempts, attempts),
    chunks: {
      messages: grownRows(index.chunks.messages, chunks.messages),
      texts: grownRows(index.chunks.texts, chunks.texts),
      payloads: grownRows(index.chunks.payloads, chunks.payloads),
    },
  };
}

function grownColumns<Row extends object, Grown extends Partial<Row>>(
  columns: Columns<Row>,
  { places, columns: grown }: ColumnsGrowth<Grown>,
): Columns<Row> {
  for (const field of Object.keys(grown) as (keyof Grown & keyof Row)[])
    put(columns[field] as readonly unknown[], places, grown[field]);
  return { ...columns };
}

/** Returns the same list if nothing was added. */
function grownRows<Row>(list: readonly Row[], { places, rows }: RowsGrowth<Row>): readonly Row[] {
  if (places.length === 0) return list;
  const grown = [...list];
  put(grown, places, rows);
  return grown;
}

function put(list: readonly unknown[], places: readonly number[], items: readonly unknown[]): void {
  const kept = list as unknown[];
  for (const [at, place] of places.entries()) kept[place] = items[at];
}
