import { type ContextCompactionConfig, roomTokens } from "@threadfold/core";
import { clearStrategy } from "../ladder/clear-strategy.ts";
import type { CompactionStrategy } from "../ladder/compaction-strategy.ts";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import { externalizeStrategy } from "../ladder/externalize-strategy.ts";
import { summarizeStrategy } from "../ladder/summarize-strategy.ts";
import { truncateStrategy } from "../ladder/truncate-strategy.ts";

/** One way to fold, from the ladder as configured down to the barest prompt there can be. */
export interface FoldAttempt {
  readonly name: string;
  readonly ladder: readonly CompactionStrategy[];
  /** Tokens at the end of the thread that are left alone. */
  readonly recentTokens: number;
  /** What is left alone even when it is larger: the newest group, of its members the newest message, or nothing. */
  readonly newest: "group" | "message" | "nothing";
  readonly summaryMaxTokens: number;
  /** Characters that stay at each end of a truncated body. */
  readonly truncateTo?: number;
  /** True for the deterministic attempts that need no summarizer. */
  readonly floor: boolean;
  /** True to fold everything foldable, whatever the estimate says. */
  readonly exhaustive: boolean;
}

/**
 * The attempts in order, each folding more than the one before, so that the walk ends: the ladder; the ladder with less
 * of the recent past; then the floor, which truncates, at first all but the newest message, summarizes all but the newest
 * user message, and at last drops everything that may be dropped.
 *
 * @param room tokens of the target that are free for messages.
 */
export function foldAttempts(
  ladder: readonly CompactionStrategy[],
  config: ContextCompactionConfig,
  room: number,
): readonly FoldAttempt[] {
  const recent = Math.max(0, Math.floor(room * config.preserveRecentPercent));
  const summary = Math.min(config.summaryMaxTokens, Math.floor(roomTokens(config) * config.summaryMaxPercent));
  const enabled = ladder.filter((strategy) => isEnabled(strategy, config));
  const base = { newest: "group", floor: false, exhaustive: false } as const;
  // The floor overrides what is switched off, as far as that is about the prompt alone; this writes content elsewhere.
  const archive = config.enableExternalization ? [externalizeStrategy] : [];
  const truncated = {
    ladder: [...archive, clearStrategy, summarizeStrategy, truncateStrategy],
    recentTokens: 0,
    summaryMaxTokens: Math.floor(summary / 4),
    truncateTo: 800,
    floor: true,
    exhaustive: false,
  };
  return [
    { ...base, name: "ladder", ladder: enabled, recentTokens: recent, summaryMaxTokens: summary },
    {
      ...base,
      name: "ladder, third of the tail",
      ladder: enabled,
      recentTokens: Math.floor(recent / 3),
      summaryMaxTokens: Math.floor(summary / 2),
    },
    {
      ...base,
      name: "ladder, newest group only",
      ladder: enabled,
      recentTokens: 0,
      summaryMaxTokens: Math.floor(summary / 4),
    },
    { ...truncated, name: "floor, truncated before the newest message", newest: "message" },
    { ...truncated, name: "floor, truncated", newest: "nothing" },
    {
      name: "floor, summary and newest user message",
      ladder: [summarizeStrategy],
      recentTokens: 0,
      newest: "nothing",
      summaryMaxTokens: Math.min(300, Math.floor(summary / 4)),
      floor: true,
      exhaustive: true,
    },
    {
      name: "floor, newest user message alone",
      ladder: [dropStrategy],
      recentTokens: 0,
      newest: "nothing",
      summaryMaxTokens: 0,
      floor: true,
      exhaustive: true,
    },
  ];
}

function isEnabled(strategy: CompactionStrategy, config: ContextCompactionConfig): boolean {
  switch (strategy.name) {
    case "externalize":
      return config.enableExternalization;
    case "summarize":
      return config.enableSummarization;
    case "clear":
      return config.enableClearing;
    case "drop":
      return config.enableDropping;
    default:
      return true;
  }
}
