import type { MissCause } from "./call-row.ts";

/** Tokens of the input, and what they cost: one is the price of an uncached input token. */
export interface BillRow {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cached: number;
  readonly written: number;
  readonly fresh: number;
  readonly cost: number;
  /** Price of input and output in US dollars; null where the prices of a model are not known. */
  readonly dollars: number | null;
}

/** What the calls of a thread cost. All sums are over `InspectionIndex.calls`. */
export interface Bill {
  /** The price row that holds; null when no provider's prices are known. */
  readonly price: {
    readonly id: string;
    readonly read: number;
    readonly write: number;
    readonly ttlSeconds: number;
    readonly minimumPrefixTokens: number;
  } | null;
  readonly total: BillRow;
  readonly byCause: readonly (BillRow & {
    readonly cause: MissCause;
    /** Tokens that could have been read from the cache and were not, and what that cost. */
    readonly missedTokens: number;
    readonly missedCost: number;
  })[];
  /** Each fold: the call that was first made under it, what it took off the request, and what writing the rest anew cost. */
  readonly folds: readonly {
    readonly plan: number;
    readonly call: number;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly rewrittenTokens: number;
    readonly cost: number;
  }[];
  /** What the same calls would have cost without any folding. */
  readonly unfolded: BillRow | null;
  /** What they would have cost with prefixes that stay for another time, by the id of its price row. */
  readonly otherTimes: readonly { readonly price: string; readonly ttlSeconds: number; readonly bill: BillRow }[];
}
