import { roomTokens } from "@threadfold/core";
import { anyOf } from "../triggers/composite-trigger.ts";
import { tokenCountTrigger } from "../triggers/count-triggers.ts";
import { reportedUsageTrigger } from "../triggers/size-triggers.ts";
import { lastTokensSplittingTurns } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { aboveReserves, type CompactionPreset, LAST_RESORT } from "./compaction-preset.ts";

/** pi's `reserveTokens` and `keepRecentTokens`. */
export const PI_RESERVE_TOKENS = 16_384;
export const PI_KEEP_RECENT_TOKENS = 20_000;

/** pi's `maxTokens`: a summary may take 0.8 of the reserve, 13 107 tokens; the rest is for prompt and margin. */
export const PI_SUMMARY_TOKENS = Math.floor(0.8 * PI_RESERVE_TOKENS);

/** pi's prefix: what stands before the summary in the user message that holds it. */
export const PI_SUMMARY_PREFIX =
  "Another language model worked on this task and produced a summary. Use this to continue the work without duplicating effort:";

/**
 * As pi does: within 16 384 tokens of the window the history before the last 20 000 tokens becomes a summary, cut at a
 * turn; a turn that is larger than that alone is split (L20). What the provider reported counts as well as what we
 * count.
 */
export const piPreset: CompactionPreset = {
  name: "pi",
  description: "Within 16 384 tokens of the cap summarizes all but the last 20 000 tokens, cut at a turn.",
  ladder: [
    windowStrategy({ name: "turn-cut", cut: lastTokensSplittingTurns(PI_KEEP_RECENT_TOKENS), fold: "summarize" }),
  ],
  config: {
    policyVersion: "pi-v3",
    softThresholdPercent: 1,
    targetPercent: 0,
    preserveRecentTurns: 0,
    summaryMaxTokens: PI_SUMMARY_TOKENS,
    summaryRole: "user",
    summaryWording: { introduction: PI_SUMMARY_PREFIX },
    minReclaimPercent: 0,
  },
  trigger: (config) => {
    const threshold = aboveReserves(config.maxInputTokens - PI_RESERVE_TOKENS + 1, config);
    return anyOf(
      tokenCountTrigger(threshold),
      reportedUsageTrigger(Math.min(1, threshold / roomTokens(config))),
      ...LAST_RESORT,
    );
  },
  figures: { reserveTokens: PI_RESERVE_TOKENS, keepRecentTokens: PI_KEEP_RECENT_TOKENS },
  promptVersion: "pi-v3",
};
