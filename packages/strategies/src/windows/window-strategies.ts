import { checkOptions, ThreadfoldError } from "@threadfold/core";
import type { CompactionStrategy } from "../strategy/compaction-strategy.ts";
import { lastMessagesFromTurnStart, lastTokensFromTurnStart, lastTurns } from "./cut-points.ts";
import { windowStrategy } from "./window-strategy.ts";

/**
 * Keeps the last `maxEvents` real events, from the next turn start on (Spring AI Session's
 * `SlidingWindowCompactionStrategy`).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the count is not a whole number of at least 0, like the other windows.
 */
export function slidingWindow(options: { readonly maxEvents: number }): CompactionStrategy {
  checkOptions("options", options, { maxEvents: "any" });
  return windowStrategy({ name: "sliding-window", cut: lastMessagesFromTurnStart(options.maxEvents), fold: "drop" });
}

/** Keeps the last `maxTurns` turns and everything before the first turn (Spring's `TurnWindowCompactionStrategy`). */
export function turnWindow(options: { readonly maxTurns: number }): CompactionStrategy {
  checkOptions("options", options, { maxTurns: "any" });
  return windowStrategy({ name: "turn-window", cut: lastTurns(options.maxTurns), fold: "drop", keepPreamble: true });
}

/**
 * Keeps an unbroken suffix of at most `maxTokens`, from the next turn start on (Spring's
 * `TokenCountCompactionStrategy`).
 */
export function tokenCountWindow(options: { readonly maxTokens: number }): CompactionStrategy {
  checkOptions("options", options, { maxTokens: "any" });
  return windowStrategy({ name: "token-window", cut: lastTokensFromTurnStart(options.maxTokens), fold: "drop" });
}

/** Options of {@link recursiveSummarization}, as in the builder of Spring AI Session's strategy. */
export interface RecursiveSummarizationOptions {
  /** The active window: the number of real events that stay unchanged. */
  readonly maxEventsToKeep: number;
  /** Number of events of the active window that the summarizer sees in addition to what it summarizes; 2 by default. */
  readonly overlapSize?: number;
}

/**
 * Summarizes what is older than the active window, building on existing summaries (Spring AI Session's
 * `RecursiveSummarizationCompactionStrategy`). Spring skips a compaction whose summary is blank; here a summary made
 * without a model replaces a blank one (P6).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the overlap is at least 0 and smaller than the window (S24).
 */
export function recursiveSummarization(options: RecursiveSummarizationOptions): CompactionStrategy {
  checkOptions("options", options, { maxEventsToKeep: "any", overlapSize: "any" });
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
