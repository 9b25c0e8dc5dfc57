import { anyOf } from "../triggers/composite-trigger.ts";
import { tokenCountTrigger } from "../triggers/count-triggers.ts";
import { overflowTrigger } from "../triggers/overflow-trigger.ts";
import { lastTokensSplittingTurns } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import type { CompactionPreset } from "./compaction-preset.ts";

/** Seed 001, pi: `reserveTokens` and `keepRecentTokens`. */
export const PI_RESERVE_TOKENS = 16_384;
export const PI_KEEP_RECENT_TOKENS = 20_000;

/** Seed 001, pi: within 16 384 tokens of the window the history before the last 20 000 tokens becomes a summary, cut at a turn. */
export const piPreset: CompactionPreset = {
  name: "pi",
  description: "Within 16 384 tokens of the cap summarizes all but the last 20 000 tokens, cut at a turn (seed 001).",
  ladder: [
    windowStrategy({ name: "turn-cut", cut: lastTokensSplittingTurns(PI_KEEP_RECENT_TOKENS), fold: "summarize" }),
    windowStrategy({
      name: "turn-cut-half",
      cut: lastTokensSplittingTurns(PI_KEEP_RECENT_TOKENS / 4),
      fold: "summarize",
    }),
  ],
  config: {
    policyVersion: "pi-v1",
    softThresholdPercent: 1,
    preserveRecentTurns: 0,
    summaryRole: "user",
    minReclaimPercent: 0,
  },
  trigger: (config) =>
    anyOf(tokenCountTrigger(Math.max(1, config.maxInputTokens - PI_RESERVE_TOKENS)), overflowTrigger),
};
