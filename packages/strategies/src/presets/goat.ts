import type { ContextCompactionConfig } from "@threadfold/core";
import { anyOf } from "../triggers/composite-trigger.ts";
import { tokenCountTrigger } from "../triggers/count-triggers.ts";
import { hardAfterCutOff } from "../triggers/event-triggers.ts";
import { lastShareOfMessages } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { aboveReserves, type CompactionPreset, LAST_RESORT, outputReserve } from "./compaction-preset.ts";

/** Goat's `maxOutputTkns`, the utilization above which it compacts, and the share of the messages that it preserves. */
export const GOAT_MAX_OUTPUT_TOKENS = 16_384;
export const GOAT_UTILIZATION = 0.8;
export const GOAT_PRESERVED_SHARE = 0.4;

/** Goat's wording: how the user message with the summary begins, and what the assistant message says to it. */
export const GOAT_SUMMARY_WORDING = Object.freeze({ introduction: "[COMPACT SUMMARY]", answer: "Understood." });

/**
 * As Goat does: above 80 % the older 60 % of the messages become one summary; the newer 40 % stay, no call apart from
 * its result. It fires before a call, and after an answer that was cut off.
 */
export const goatPreset: CompactionPreset = {
  name: "goat",
  description: "Above 80 % of what the output leaves summarizes all but the last 40 % of the messages.",
  ladder: [windowStrategy({ name: "goat-split", cut: lastShareOfMessages(GOAT_PRESERVED_SHARE), fold: "summarize" })],
  config: {
    policyVersion: "goat-v3",
    softThresholdPercent: GOAT_UTILIZATION,
    targetPercent: 0,
    preserveRecentTurns: 0,
    summaryRole: "pair",
    summaryWording: GOAT_SUMMARY_WORDING,
    minReclaimPercent: 0,
  },
  trigger: (config) => anyOf(hardAfterCutOff(tokenCountTrigger(goatThreshold(config))), ...LAST_RESORT),
  figures: {
    maxOutputTokens: GOAT_MAX_OUTPUT_TOKENS,
    utilization: GOAT_UTILIZATION,
    preservedShare: GOAT_PRESERVED_SHARE,
  },
  promptVersion: "prose-v1",
};

/**
 * The first number of tokens at which the utilization is above 80 %. Goat takes the system prompt off both sides; here
 * it counts.
 */
function goatThreshold(config: ContextCompactionConfig): number {
  const capacity = config.maxInputTokens - outputReserve(config, GOAT_MAX_OUTPUT_TOKENS);
  return aboveReserves(Math.floor(GOAT_UTILIZATION * capacity) + 1, config);
}
