import type { CompactionCause } from "@threadfold/core";
import type { UsageState } from "../answer/usage-state.ts";
import type { MeteredSummarizer } from "../summary/metered-summarizer.ts";
import type { CompactOptions } from "./compact-options.ts";

/** One look at whether to fold, and the fold when there is one. */
export interface FoldAttempt {
  /** Its name in events. */
  readonly foldId: string;
  readonly cause: CompactionCause;
  /** Tokens of the request under the plan that holds. */
  readonly tokensBefore: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly options: CompactOptions;
  /** True when nobody waits for it. */
  readonly background: boolean;
  readonly metered: MeteredSummarizer;
}

/** Why a fold is looked at. */
export function causeOf({ force }: CompactOptions, { overflow, maxOutput }: UsageState): CompactionCause {
  if (force === true) return "manual";
  return overflow === "pending" || maxOutput === "pending" ? "reactive" : "auto";
}
