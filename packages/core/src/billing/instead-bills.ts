import { PROMPT_CACHE_PRICES, type PromptCachePrice, promptCachePriceFor } from "../providers/cache-prices.ts";
import { modelName } from "../providers/models.ts";
import { PromptCache } from "../providers/prompt-cache.ts";
import { type Amount, amountOf, totalOf } from "./amount.ts";
import {
  keepShared,
  type LedgerOptions,
  matchingOf,
  playCall,
  promptTokens,
  type RecordedCall,
  sharedTokens,
} from "./recorded-call.ts";

/** What the same calls would have cost by the provider's rules, input alone. */
export interface InsteadBill extends Amount {
  /** As the calls were sent, without any folding, or with all prefixes kept for the same lifetime. */
  readonly as: "sent" | "unfolded" | "one-time";
  /** Id of the price row. */
  readonly price: string;
  readonly ttlSeconds: number;
  /** The number of calls that would have been larger than the model's window. */
  readonly tooLarge: number;
}

/** A call whose prompt cache is recorded and whose provider's cache prices are known. */
type PricedCall = RecordedCall & { readonly price: PromptCachePrice };

const isPriced = (call: RecordedCall): call is PricedCall =>
  call.price !== undefined && call.record.cache !== undefined;

/** Computes what the calls would have cost by the rules, considering only those whose prompt cache is recorded. */
export function insteadBills(
  recorded: readonly RecordedCall[],
  { prices = [] }: LedgerOptions,
): readonly InsteadBill[] {
  const calls = recorded.filter(isPriced);
  const newest = calls.at(-1)?.price;
  if (newest === undefined) return [];
  const rows = [...prices, ...PROMPT_CACHE_PRICES];
  const others = (newest.otherTimes ?? []).flatMap((other) => rows.find(({ id }) => id === other) ?? []);
  return [
    { as: "sent", ...named(newest), ...playedBill(calls), tooLarge: 0 },
    { as: "unfolded", ...named(newest), ...unfoldedBill(calls), tooLarge: calls.filter(isTooLarge).length },
    ...(others.length === 0 ? [] : [newest, ...others]).map((row) => ({
      ...{ as: "one-time" as const, ...named(row), tooLarge: 0 },
      ...playedBill(calls.map((call) => ({ ...call, price: promptCachePriceFor(row, modelName(call.model ?? "")) }))),
    })),
  ];
}

const named = ({ id, ttlSeconds }: PromptCachePrice) => ({ price: id, ttlSeconds });

const isTooLarge = ({ record, row }: PricedCall): boolean =>
  row !== undefined && (record.cache?.unfoldedTokens ?? 0) > row.windowTokens;

/** The bill of the calls as they were sent. */
function playedBill(calls: readonly PricedCall[]): Amount {
  const cache = new PromptCache();
  return totalOf(
    calls.map((call, index) => {
      keepShared(cache, call, calls[index - 1] ?? null, call.price);
      return amountOf(playCall(cache, call, call.price).bill, call.row, promptTokens(call));
    }),
  );
}

/** The bill if nothing had been folded: each call finds all of the previous one, unless it expired or was changed. */
function unfoldedBill(calls: readonly PricedCall[]): Amount {
  return totalOf(
    calls.map((call, index) => {
      return amountOf(unfoldedCall(call, calls[index - 1]), call.row, call.record.cache?.unfoldedTokens ?? 0);
    }),
  );
}

function unfoldedCall(call: PricedCall, before: PricedCall | undefined): number {
  const { price, record } = call;
  const tokens = record.cache?.unfoldedTokens ?? 0;
  if (tokens < price.minimumPrefixTokens) return tokens;
  const shared = before === undefined ? 0 : unfoldedShare(call, before);
  const found = shared < price.minimumPrefixTokens ? 0 : Math.min(shared, tokens);
  const matching = record.cache && matchingOf(record.cache, price);
  const read = matching?.kind === "implicit" ? found - (found % matching.stepTokens) : found;
  return read * price.read + (tokens - read) * price.write;
}

/** Tokens that an unfolded call would have found in the cache. */
function unfoldedShare(call: PricedCall, before: PricedCall): number {
  const by = call.record.cache?.change?.by;
  if ((call.idleSeconds ?? 0) >= before.price.ttlSeconds) return 0;
  if (by === undefined || by === "fold" || by === "recall") return before.record.cache?.unfoldedTokens ?? 0;
  return sharedTokens(call, before);
}
