import type { JournalEntry, JournalRecord, SummariesAskedRecord } from "../audit/journal.ts";
import { promptCachePriceFor, promptCachePriceOfModel } from "../providers/cache-prices.ts";
import { modelName, modelRow } from "../providers/models.ts";
import { inputBill } from "../providers/prompt-cache.ts";
import { type Amount, amountOf, dollarsFor, dollarsOf, sumOf, totalOf } from "./amount.ts";
import { type CacheMiss, cacheLedger, type LedgerCall } from "./cache-ledger.ts";
import { type InsteadBill, insteadBills } from "./instead-bills.ts";
import { type KeepAliveAdvice, keepAliveAdvice } from "./keep-alive.ts";
import { type LedgerOptions, promptTokens, type RecordedCall, recordedCalls } from "./recorded-call.ts";

/** The cost of a thread's calls, broken down by cause. */
export interface CacheBill {
  readonly calls: readonly LedgerCall[];
  readonly totals: BillTotals;
  /** Tokens that were paid for again, by cause, with separate causes for changes by a fold, the host, the model etc. */
  readonly misses: readonly MissTotal[];
  readonly folds: readonly FoldBill[];
  readonly summaries: readonly SummaryBill[];
  /** Answers of the recall tools, billed with the request that first contained them. */
  readonly recall: { readonly answers: number; readonly tokens: number } & Amount;
  readonly instead: readonly InsteadBill[];
  /** Null when keeping a prefix warm cannot pay off, or the prices are not known. */
  readonly keepAlive: KeepAliveAdvice | null;
}

export interface BillTotals extends Amount {
  readonly calls: number;
  /** The number of calls with usage reported by the provider; the others are billed by its rules. */
  readonly reported: number;
  /** The number of calls whose prompt cache is not in the journal, or whose provider's cache prices are not known. */
  readonly notRecorded: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly uncachedTokens: number;
  /** The part of the dollars that went to summary calls and the provider's own compactions. */
  readonly summaryDollars: number | null;
}

export interface MissTotal {
  /** The cause of the misses; for changes including what made them, such as `changed by fold`. */
  readonly cause: string;
  readonly misses: number;
  readonly tokens: number;
  readonly dollars: number | null;
}

/** The cost of a plan in cache misses, and the tokens that it saved. */
export interface FoldBill {
  readonly planVersion: number;
  /** The number of calls made under the plan. */
  readonly calls: number;
  /** Tokens of its calls that were not read from the cache because of the fold. */
  readonly missedTokens: number;
  readonly missedDollars: number | null;
  /** Tokens that all of its calls together saved compared with no folding at all. */
  readonly sparedTokens: number;
  readonly summary: SummaryBill | null;
}

/** The summary calls of one fold, or a provider's own compaction. */
export interface SummaryBill extends Omit<SummariesAskedRecord, "type"> {
  /** Sequence number of the record in the journal. */
  readonly sequence: number;
  readonly dollars: number | null;
}

/**
 * Computes the cost of a thread's calls by cause, by fold, by summary call and by recall answer, and what the same
 * calls would have cost otherwise. Depends on the journal and the options alone.
 *
 * @param entries the journal of one thread.
 */
export function cacheBill(entries: readonly JournalEntry[], options: LedgerOptions = {}): CacheBill {
  const calls = cacheLedger(entries, options);
  const recorded = recordedCalls(entries, options);
  const summaries = entries.flatMap(({ sequence, record }) => summaryBill(sequence, record, options));
  return {
    calls,
    totals: billTotals(calls, summaries),
    misses: missTotals(calls.flatMap(({ misses }) => misses)),
    folds: foldBills(calls, recorded, summaries),
    summaries,
    recall: recallBill(recorded),
    instead: insteadBills(recorded, options),
    keepAlive: keepAliveAdvice(recorded),
  };
}

function billTotals(calls: readonly LedgerCall[], summaries: readonly SummaryBill[]): BillTotals {
  const summaryDollars = dollarsOf(summaries);
  return {
    calls: calls.length,
    reported: calls.filter(({ outputTokens }) => outputTokens !== null).length,
    notRecorded: calls.filter(({ cache }) => cache === null).length,
    inputTokens: sumOf(calls, ({ inputTokens }) => inputTokens),
    outputTokens: sumOf(calls, ({ outputTokens }) => outputTokens ?? 0),
    readTokens: sumOf(calls, ({ input }) => input?.readTokens ?? 0),
    writtenTokens: sumOf(calls, ({ input }) => input?.writtenTokens ?? 0),
    uncachedTokens: sumOf(calls, ({ input, inputTokens }) => input?.uncachedTokens ?? inputTokens),
    bill: sumOf(calls, ({ input, inputTokens }) => input?.bill ?? inputTokens),
    dollars: dollarsOf([...calls, ...summaries]),
    summaryDollars,
  };
}

const causeOf = (miss: CacheMiss): string => (miss.cause === "changed" ? `changed by ${miss.by}` : miss.cause);

function missTotals(misses: readonly CacheMiss[]): readonly MissTotal[] {
  const causes = [...new Set(misses.map(causeOf))];
  const totals = causes.map((cause) => {
    const own = misses.filter((miss) => causeOf(miss) === cause);
    return { cause, misses: own.length, tokens: sumOf(own, ({ tokens }) => tokens), dollars: dollarsOf(own) };
  });
  return totals.sort((a, b) => b.tokens - a.tokens);
}

function summaryBill(sequence: number, record: JournalRecord, options: LedgerOptions): readonly SummaryBill[] {
  if (record.type !== "summaries-asked") return [];
  const { type: _type, ...summary } = record;
  const { outputTokens, inputTokens } = summary;
  // A provider compacts with the model that answers.
  const model = summary.model ?? (summary.by === "provider" ? options.model : undefined);
  const row = model === undefined ? undefined : modelRow(model, options.models ?? []);
  const input = summaryInput({ ...summary, ...(model !== undefined && { model }) }, options);
  return [{ ...summary, sequence, dollars: dollarsFor(input, outputTokens, row, inputTokens) }];
}

/** Returns the input of summary calls in uncached tokens: cached tokens count at the provider's cache prices. */
function summaryInput(
  { model = "", inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Omit<SummariesAskedRecord, "type">,
  { prices = [] }: LedgerOptions,
): number {
  const name = modelName(model);
  const price = promptCachePriceOfModel(name, prices);
  if (price === undefined) return inputTokens;
  const uncachedTokens = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const tokens = { readTokens: cacheReadTokens, writtenTokens: cacheWriteTokens, uncachedTokens };
  return inputBill(tokens, promptCachePriceFor(price, name));
}

function foldBills(
  calls: readonly LedgerCall[],
  recorded: readonly RecordedCall[],
  summaries: readonly SummaryBill[],
): readonly FoldBill[] {
  const versions = [...new Set(calls.map(({ planVersion }) => planVersion))].filter((version) => version > 0);
  return versions.map((planVersion) => {
    const own = calls.filter((call) => call.planVersion === planVersion);
    const missed = own.flatMap(({ misses }) => misses.filter((miss) => causeOf(miss) === "changed by fold"));
    const under = recorded.filter(({ record }) => record.planVersion === planVersion);
    return {
      planVersion,
      calls: own.length,
      missedTokens: sumOf(missed, ({ tokens }) => tokens),
      missedDollars: dollarsOf(missed),
      sparedTokens: sumOf(under, ({ record }) => Math.max(0, (record.cache?.unfoldedTokens ?? 0) - record.tokens)),
      summary: summaries.find((summary) => summary.planVersion === planVersion) ?? null,
    };
  });
}

function recallBill(recorded: readonly RecordedCall[]): CacheBill["recall"] {
  const answered = recorded.flatMap((call) => {
    const { record, price, row } = call;
    const recall = record.cache?.recall;
    if (recall === undefined) return [];
    return [{ ...recall, ...amountOf(recall.tokens * (price?.write ?? 1), row, promptTokens(call)) }];
  });
  return {
    answers: sumOf(answered, ({ answers }) => answers),
    tokens: sumOf(answered, ({ tokens }) => tokens),
    ...totalOf(answered),
  };
}
