import type { Clock } from "@threadfold/core";

/** How a store is opened. */
export interface StoreOptions {
  /** Says what time it is, for expiry and for the times in `ThreadInfo`. The machine's clock by default. */
  readonly clock?: Clock;
}
