import type { ContextCompactionConfig } from "@threadfold/core";
import { type CompactionTrigger, NO_TRIGGER } from "../triggers/compaction-trigger.ts";
import { anyOf } from "../triggers/composite-trigger.ts";

import { hardAfterCutOff } from "../triggers/event-triggers.ts";
import { lastShareOfMessages } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { aboveReserves, type CompactionPreset, LAST_RESORT, NO_RESERVES, outputReserve } from "./compaction-preset.ts";

/** Goat's `contextLimit`, in tokens, for when the model's window is not given. */
export const GOAT_CONTEXT_LIMIT = 200_000;

/**
 * Goat's `maxOutputTkns`, in tokens; the utilization above which it compacts; and the share of messages that it keeps.
 */
export const GOAT_MAX_OUTPUT_TOKENS = 16_384;
export const GOAT_UTILIZATION = 0.8;
export const GOAT_PRESERVED_SHARE = 0.4;

/** Goat's wording: the beginning of the user message with the summary, and the assistant message that answers it. */
export const GOAT_SUMMARY_WORDING = Object.freeze({ introduction: "[COMPACT SUMMARY]", answer: "Understood." });

/**
 * Folds like Goat: above 80 %, the older 60 % of the messages become one summary and the newer 40 % stay; a call is
 * never separated from its result. It fires before a call, and after an answer that was cut off.
 */
export const goatPreset: CompactionPreset = {
  name: "goat",
  description: "Above 80 % of what the output leaves summarizes all but the last 40 % of the messages.",
  ladder: [windowStrategy({ name: "goat-split", cut: lastShareOfMessages(GOAT_PRESERVED_SHARE), fold: "summarize" })],
  config: {
    policyVersion: "goat-v4",
    ...NO_RESERVES,
    maxInputTokens: GOAT_CONTEXT_LIMIT,
    softThresholdPercent: GOAT_UTILIZATION,
    targetPercent: 0,
    preserveRecentTurns: 0,
    summaryRole: "pair",
    summaryWording: GOAT_SUMMARY_WORDING,
    minReclaimPercent: 0,
  },
  trigger: (config) => anyOf(hardAfterCutOff(utilizationTrigger(config)), ...LAST_RESORT),
  figures: {
    contextLimit: GOAT_CONTEXT_LIMIT,
    maxOutputTokens: GOAT_MAX_OUTPUT_TOKENS,
    utilization: GOAT_UTILIZATION,
    preservedShare: GOAT_PRESERVED_SHARE,
  },
  promptVersion: "prose-v1",
};

/**
 * Fires when the messages take more than `softThresholdPercent` of the window minus system text and output. This is
 * Goat's utilization, which leaves the system text out of both sides of the ratio.
 */
function utilizationTrigger(config: ContextCompactionConfig): CompactionTrigger {
  const { maxInputTokens, softThresholdPercent } = config;
  const reserve = outputReserve(config, GOAT_MAX_OUTPUT_TOKENS);
  return {
    name: `utilization ${softThresholdPercent}`,
    evaluate({ tokens, roomTokens, limitTokens = roomTokens, overheadTokens = 0 }) {
      const capacity = maxInputTokens - overheadTokens - reserve;
      const most = aboveReserves(Math.floor(softThresholdPercent * capacity) + overheadTokens + 1, config);
      if (tokens < most) return NO_TRIGGER;
      const reason = `${tokens - overheadTokens} tokens of messages are more than ${softThresholdPercent} of ${capacity}`;
      return { level: tokens > limitTokens ? "hard" : "soft", reason };
    },
  };
}
