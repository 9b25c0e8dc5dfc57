import {
  type CacheMiss,
  cacheBill,
  type JournalEntry,
  type LedgerCall,
  type LedgerOptions,
  minimumCachedTokens,
  modelName,
  modelRow,
  promptCachePrice,
} from "@threadfold/core";
import type { BreakRow, CallCause, CallCost } from "../rows/call-row.ts";
import type { Bill } from "../rows/inspection-index.ts";

import { type Columns, Table } from "../rows/table.ts";

/** What a thread's calls cost: together, call by call, and at each break of the cache. */
export interface CallCosts {
  readonly bill: Bill;
  readonly calls: Columns<CallCost>;
  /** What a call paid because its request departs from the one before. */
  breakCost(call: number): Pick<BreakRow, "missedTokens" | "price">;
}

/** What calls are priced by besides the journal. */
export interface PricingOptions extends LedgerOptions {
  /** Tokens that requests could have, where they are known to have been made within a budget. */
  readonly budget?: number;
}

const NO_COST: CallCost = {
  cached: 0,
  written: 0,
  fresh: 0,
  inputTokens: 0,
  outputTokens: null,
  reported: false,
  cost: 0,
  dollars: null,
  cause: "none",
  missed: 0,
  limit: null,
};

/** The bill of a journal, as `threadfold bill` makes it, and each call's line of its ledger. */
export function callCosts(journal: readonly JournalEntry[], options: PricingOptions = {}): CallCosts {
  const { calls: ledger, ...bill } = cacheBill(journal, options);
  const calls = new Table<CallCost>(NO_COST);
  for (const call of ledger) calls.push({ ...callCost(call), limit: limitOf(call, options) });
  return {
    bill: { ...bill, price: priceRow(ledger.at(-1), options) },
    calls: calls.columns,
    breakCost: (call) => breakCost(ledger[call], options),
  };
}

function callCost({ input, inputTokens, outputTokens, dollars, misses }: LedgerCall): CallCost {
  const [largest] = misses.toSorted((a, b) => b.tokens - a.tokens);
  return {
    ...NO_COST,
    ...{ inputTokens, outputTokens, dollars, reported: outputTokens !== null },
    cached: input?.readTokens ?? 0,
    written: input?.writtenTokens ?? 0,
    fresh: input?.uncachedTokens ?? inputTokens,
    cost: input?.bill ?? inputTokens,
    cause: largest === undefined ? "none" : causeOf(largest),
    missed: largest?.tokens ?? 0,
  };
}

/** Named as the bill names it. */
const causeOf = (miss: CacheMiss): CallCause => (miss.cause === "changed" ? `changed by ${miss.by}` : miss.cause);

/** A model that calls are only priced as says nothing of the room that they had. */
function limitOf({ model }: LedgerCall, { budget, models = [] }: PricingOptions): number | null {
  const row = model === null ? undefined : modelRow(model, models);
  return budget ?? row?.windowTokens ?? null;
}

function priceRow(newest: LedgerCall | undefined, { prices = [], model: assumed }: PricingOptions): Bill["price"] {
  if (newest === undefined || newest.cache === null) return null;
  const price = promptCachePrice(newest.cache.price, prices);
  const minimumPrefixTokens = minimumCachedTokens(price, modelName(newest.model ?? assumed ?? ""));
  return { id: price.id, read: price.read, write: price.write, ttlSeconds: price.ttlSeconds, minimumPrefixTokens };
}

function breakCost(call: LedgerCall | undefined, { prices = [] }: PricingOptions): ReturnType<CallCosts["breakCost"]> {
  const missedTokens = call?.misses.find(({ cause }) => cause === "changed")?.tokens ?? 0;
  if (call === undefined || call.cache === null) return { missedTokens, price: 0 };
  const { read, write } = promptCachePrice(call.cache.price, prices);
  return { missedTokens, price: missedTokens * (write - read) };
}
