import {
  CacheLedger,
  type CacheMiss,
  cacheBill,
  type JournalEntry,
  type LedgerCall,
  type LedgerOptions,
  modelName,
  modelRow,
  promptCachePrice,
  promptCachePriceFor,
} from "@threadfold/core";
import type { BreakRow, CallCause, CallCost } from "../rows/call-row.ts";
import type { Bill } from "../rows/inspection-index.ts";
import { type Revision, Table } from "../rows/table.ts";

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
  estimated: 0,
};

/** The costs of a thread's calls, each from its line of the ledger, as the journal grows. */
export class CallCosts {
  readonly table: Table<CallCost>;
  readonly #ledger: CacheLedger;
  readonly #options: LedgerOptions;

  constructor(revision: Revision, options: LedgerOptions = {}) {
    this.table = new Table(NO_COST, revision);
    this.#ledger = new CacheLedger(options);
    this.#options = options;
  }

  /** Adds the next entries of the journal. */
  take(entries: readonly JournalEntry[]): void {
    for (const place of this.#ledger.take(entries)) {
      const call = this.#ledger.calls[place] as LedgerCall;
      const cost = { ...callCost(call), limit: limitOf(call, this.#options) };
      if (place === this.table.length) this.table.push(cost);
      else for (const field of COST_FIELDS) this.table.set(place, field, cost[field]);
    }
  }

  /** Returns what a call paid because its request diverges from the previous one. */
  breakCost(call: number): Pick<BreakRow, "missedTokens" | "price"> {
    return breakCost(this.#ledger.calls[call], this.#options);
  }

  /** Returns the bill of a journal, as in `threadfold bill`. */
  bill(journal: readonly JournalEntry[]): Omit<Bill, "revision"> {
    const { calls, ...bill } = cacheBill(journal, this.#options);
    return { ...bill, price: priceRow(calls.at(-1), this.#options) };
  }
}

const COST_FIELDS = Object.keys(NO_COST) as (keyof CallCost)[];

function callCost({ input, inputTokens, estimatedTokens, outputTokens, dollars, misses }: LedgerCall): CallCost {
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
    estimated: estimatedTokens,
  };
}

/** Names the cause as the bill does. */
const causeOf = (miss: CacheMiss): CallCause => (miss.cause === "changed" ? `changed by ${miss.by}` : miss.cause);

/** A model that calls are only assumed to have used for pricing says nothing about their window. */
function limitOf({ model, limitTokens }: LedgerCall, { models = [] }: LedgerOptions): number | null {
  const row = model === null ? undefined : modelRow(model, models);
  return limitTokens ?? row?.windowTokens ?? null;
}

function priceRow(newest: LedgerCall | undefined, { prices = [], model: assumed }: LedgerOptions): Bill["price"] {
  if (newest === undefined || newest.cache === null) return null;
  const price = promptCachePrice(newest.cache.price, prices);
  const { id, read, write, ttlSeconds, minimumPrefixTokens } = promptCachePriceFor(
    price,
    modelName(newest.model ?? assumed ?? ""),
  );
  return { id, read, write, ttlSeconds, minimumPrefixTokens };
}

function breakCost(
  call: LedgerCall | undefined,
  { prices = [], model: assumed }: LedgerOptions,
): Pick<BreakRow, "missedTokens" | "price"> {
  const missedTokens = call?.misses.find(({ cause }) => cause === "changed")?.tokens ?? 0;
  if (call === undefined || call.cache === null) return { missedTokens, price: 0 };
  const { read, write } = promptCachePriceFor(
    promptCachePrice(call.cache.price, prices),
    modelName(call.model ?? assumed ?? ""),
  );
  return { missedTokens, price: missedTokens * (write - read) };
}
