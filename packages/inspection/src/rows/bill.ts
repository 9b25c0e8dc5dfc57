import type { CacheBill } from "@threadfold/core";

/** What the calls of a thread cost and for what, as `threadfold bill` says it. Its calls are `InspectionIndex.calls`. */
export interface Bill extends Omit<CacheBill, "calls"> {
  /** The price row of the newest call; null when no provider's prices are known. */
  readonly price: {
    readonly id: string;
    readonly read: number;
    readonly write: number;
    readonly ttlSeconds: number;
    readonly minimumPrefixTokens: number;
  } | null;
}
