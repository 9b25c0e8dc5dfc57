import type { CompactionStrategy } from "../ladder/compaction-strategy.ts";
import { lastMessagesFromTurnStart, lastTokensFromTurnStart, lastTurns } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";

/**
 * Keeps the last so many real events, from the next turn start on (seed 004, `SlidingWindowCompactionStrategy`).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the count is no whole number of at least 0; so do the others.
 */
export function slidingWindow({ maxEvents }: { readonly maxEvents: number }): CompactionStrategy {
  return windowStrategy({ name: "sliding-window", cut: lastMessagesFromTurnStart(maxEvents), fold: "drop" });
}

/** Keeps the last so many turns and what stands before the first (seed 004, `TurnWindowCompactionStrategy`). */
export function turnWindow({ maxTurns }: { readonly maxTurns: number }): CompactionStrategy {
  return windowStrategy({ name: "turn-window", cut: lastTurns(maxTurns), fold: "drop", keepPreamble: true });
}

/** Keeps an unbroken suffix of at most so many tokens, from the next turn start on (seed 004, `TokenCountCompactionStrategy`). */
export function tokenCountWindow({ maxTokens }: { readonly maxTokens: number }): CompactionStrategy {
  return windowStrategy({ name: "token-window", cut: lastTokensFromTurnStart(maxTokens), fold: "drop" });
}
