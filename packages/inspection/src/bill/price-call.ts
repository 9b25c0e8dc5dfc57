import type { Usage } from "@threadfold/core";
import type { RequestTables } from "../requests/request-tables.ts";
import type { BreakRow, CallRow, FrameRow } from "../rows/call-row.ts";
import { type CallCost, callCost, extraPrice, framePrice } from "./call-costs.ts";

/** Writes into a call's row, and into that of its break, what it cost. The call before has its tokens by then. */
export function priceCall(
  { calls, breaks }: Pick<RequestTables, "calls" | "breaks">,
  call: number,
  frame: FrameRow | undefined,
  usage: Usage | undefined,
): void {
  const cell = <Field extends keyof CallRow>(field: Field, place = call): CallRow[Field] => calls.cell(place, field);
  const tokensBefore = call === 0 ? null : cell("tokens", call - 1);
  const found = breaks[cell("break")];
  const sharedTokens = cell("shared") === 0 && found === undefined ? 0 : (tokensBefore ?? 0) - (found?.lostTokens ?? 0);
  const price = frame === undefined ? null : framePrice(frame);
  const cost = callCost({
    tokens: cell("tokens"),
    sharedTokens,
    tokensBefore,
    idleMs: call === 0 ? 0 : cell("at") - cell("at", call - 1),
    price,
    usage,
  });
  for (const field of Object.keys(cost) as (keyof CallCost)[]) calls.set(call, field, cost[field]);
  if (found === undefined) return;
  const paid = cost.cause === "changed" ? cost.missed * extraPrice(price) : 0;
  breaks[cell("break")] = { ...found, price: paid } satisfies BreakRow;
}
