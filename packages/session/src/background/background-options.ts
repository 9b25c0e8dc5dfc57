import { type ContextCompactionConfig, ThreadfoldError } from "@threadfold/core";
import type { CompactionQueue } from "./compaction-queue.ts";

/** How a session leaves its folds to workers. */
export interface BackgroundOptions {
  readonly queue: CompactionQueue;
  /**
   * Share of the room from which on a worker is asked, ahead of the session's own threshold. By default 0.12 below the
   * configuration's `softThresholdPercent`, and never below its `targetPercent`: the room that the agent's calls have while
   * the worker folds.
   */
  readonly softThreshold?: number;
  /** How long a request waits at most for the queue to take a job, in milliseconds. 2 000 by default. */
  readonly enqueueTimeoutMilliseconds?: number;
}

const AHEAD = 0.12;
const ENQUEUE_TIMEOUT = 2_000;

/** Fills in what the options leave out. @throws ThreadfoldError `INVALID_CONFIG`. */
export function backgroundOptions(
  options: BackgroundOptions,
  { softThresholdPercent, targetPercent }: Pick<ContextCompactionConfig, "softThresholdPercent" | "targetPercent">,
): Required<BackgroundOptions> {
  const byDefault = Math.max(targetPercent, softThresholdPercent - AHEAD);
  const { queue, softThreshold = byDefault, enqueueTimeoutMilliseconds = ENQUEUE_TIMEOUT } = options;
  if (!(softThreshold > 0 && softThreshold <= 1))
    throw new ThreadfoldError("INVALID_CONFIG", "background.softThreshold has to be above 0 and at most 1.");
  if (!(enqueueTimeoutMilliseconds > 0 && enqueueTimeoutMilliseconds <= 600_000))
    throw new ThreadfoldError(
      "INVALID_CONFIG",
      "background.enqueueTimeoutMilliseconds has to be above 0 and at most 600000.",
    );
  return { queue, softThreshold, enqueueTimeoutMilliseconds };
}
