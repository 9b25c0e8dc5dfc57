import { ThreadfoldError } from "@threadfold/core";
import type { CompactionStrategy } from "../ladder/compaction-strategy.ts";
import { lastMessagesFromTurnStart } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";

/** What seed 004's builder takes. */
export interface RecursiveSummarizationOptions {
  /** The active window: so many real events stay as they are. */
  readonly maxEventsToKeep: number;
  /** So many events of the active window are shown to the summarizer beside what it summarizes; 2 by default. */
  readonly overlapSize?: number;
}

/**
 * Summarizes what is older than the active window, on top of the summaries that are there (seed 004,
 * `RecursiveSummarizationCompactionStrategy`). Where the seed skips a compaction whose summary is blank, a summary without
 * a model takes its place (P6).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the overlap is at least 0 and smaller than the window (S24).
 */
export function recursiveSummarization(options: RecursiveSummarizationOptions): CompactionStrategy {
  const { maxEventsToKeep, overlapSize = 2 } = options;
  const cut = lastMessagesFromTurnStart(maxEventsToKeep);
  if (!Number.isInteger(overlapSize) || overlapSize < 0 || overlapSize >= maxEventsToKeep) {
    throw new ThreadfoldError(
      "INVALID_CONFIG",
      `overlapSize is ${overlapSize}; it must be at least 0 and less than maxEventsToKeep (${maxEventsToKeep}).`,
    );
  }
  return windowStrategy({ name: "recursive-summarization", cut, fold: "summarize", overlap: overlapSize });
}
