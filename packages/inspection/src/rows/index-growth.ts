import type { BodyLists } from "./bodies.ts";
import type { BlockRow, BreakRow, CallCost, FrameRow, RequestRow } from "./call-row.ts";
import type { InspectionIndex } from "./inspection-index.ts";
import type { MessageRow } from "./message-row.ts";
import type { AttemptRow, PlanRow, RecordRow } from "./plan-row.ts";
import type { Columns, ColumnsGrowth, RowsGrowth } from "./table.ts";

/** What an index has that it had not at an earlier revision. Its bill is a piece of its own, which is made anew when it is asked for. */
export interface IndexGrowth extends Pick<InspectionIndex, GrownWhole> {
  readonly messages: ColumnsGrowth<MessageRow>;
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

/** What is small, and comes whole each time. */
type GrownWhole = "revision" | "madeAt" | "thread" | "tools" | "pins" | "integrity";

/** An index with what came since. Its lists are the same ones, longer: whoever holds the old index must not use it any more. */
export function grownIndex(index: InspectionIndex, growth: IndexGrowth): InspectionIndex {
  const { messages, requests, costs, blocks, breaks, frames, plans, records, attempts, chunks, ...whole } = growth;
  putColumns(index.messages, messages);
  putColumns(index.calls, requests);
  putColumns(index.calls, costs);
  putColumns(index.blocks, blocks);
  putRows(index.breaks, breaks);
  putRows(index.frames, frames);
  putRows(index.plans, plans);
  putRows(index.records, records);
  putRows(index.attempts, attempts);
  for (const list of ["messages", "texts", "payloads"] as const) putRows(index.chunks[list], chunks[list]);
  return { ...index, ...whole };
}

function putColumns<Row extends object>(columns: Columns<Row>, { places, columns: grown }: ColumnsGrowth<Row>): void {
  for (const field of Object.keys(grown) as (keyof Row)[]) putRows(columns[field], { places, rows: grown[field] });
}

function putRows<Row>(list: readonly Row[], { places, rows }: RowsGrowth<Row>): void {
  const kept = list as Row[];
  for (const [at, place] of places.entries()) kept[place] = rows[at] as Row;
}
