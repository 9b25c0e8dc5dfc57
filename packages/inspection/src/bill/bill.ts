import type { PromptCachePrice } from "@threadfold/core";
import type { Bill, BillRow } from "../rows/bill.ts";
import type { CallRow, MissCause } from "../rows/call-row.ts";
import type { Columns } from "../rows/columns.ts";
import { extraPrice } from "./call-costs.ts";

/** Adds up what calls cost: together, by what tokens were paid for again, and by fold. */
export function billOf(calls: Columns<CallRow>, price: PromptCachePrice | null): Bill {
  const all = [...calls.sequence.keys()];
  const causes = [...new Set(calls.cause)];
  return {
    price: price === null ? null : priceRow(price),
    total: sumOf(calls, all),
    byCause: causes.map((cause) => causeRow(calls, cause, price)),
    folds: all.filter((call) => calls.folded[call]).map((call) => foldRow(calls, call, price)),
    unfolded: null,
    otherTimes: [],
  };
}

const priceRow = ({ id, read, write, ttlSeconds, minimumPrefixTokens }: PromptCachePrice) => ({
  ...{ id, read, write, ttlSeconds, minimumPrefixTokens },
});

function sumOf(calls: Columns<CallRow>, places: readonly number[]): BillRow {
  const sum = (column: readonly number[]): number => places.reduce((total, place) => total + (column[place] ?? 0), 0);
  const dollars = places.map((place) => calls.dollars[place] ?? null);
  return {
    calls: places.length,
    inputTokens: sum(calls.inputTokens),
    cached: sum(calls.cached),
    written: sum(calls.written),
    fresh: sum(calls.fresh),
    cost: sum(calls.cost),
    dollars: dollars.includes(null) ? null : dollars.reduce<number>((total, one) => total + (one ?? 0), 0),
  };
}

function causeRow(calls: Columns<CallRow>, cause: MissCause, price: PromptCachePrice | null) {
  const places = [...calls.cause.keys()].filter((place) => calls.cause[place] === cause);
  const missedTokens = places.reduce((total, place) => total + (calls.missed[place] ?? 0), 0);
  return { ...sumOf(calls, places), cause, missedTokens, missedCost: missedTokens * extraPrice(price) };
}

function foldRow(calls: Columns<CallRow>, call: number, price: PromptCachePrice | null): Bill["folds"][number] {
  const rewrittenTokens = (calls.inputTokens[call] ?? 0) - (calls.cached[call] ?? 0);
  return {
    plan: calls.planVersion[call] ?? 0,
    call,
    tokensBefore: calls.tokens[call - 1] ?? 0,
    tokensAfter: calls.tokens[call] ?? 0,
    rewrittenTokens,
    cost: rewrittenTokens * extraPrice(price),
  };
}
