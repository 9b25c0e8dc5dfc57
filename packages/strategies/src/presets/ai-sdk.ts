import type { ContextCompactionConfig } from "@threadfold/core";
import { allOf, anyOf } from "../triggers/composite-trigger.ts";
import { messageCountTrigger, tokenCountTrigger } from "../triggers/count-triggers.ts";
import { lastMessages } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { aboveReserves, type CompactionPreset, LAST_RESORT, NO_RESERVES, outputReserve } from "./compaction-preset.ts";

/** The AI SDK layer's reserves in tokens, and how many messages it keeps. */
export const AI_SDK_RESERVES = Object.freeze({
  systemReserve: 2_000,
  outputReserve: 4_000,
  safetyBuffer: 5_000,
  thresholdPercent: 0.8,
});
export const AI_SDK_RECENT_MESSAGES = 10;

/** The AI SDK layer's `maxTokens`: a summary aims at 800 tokens and may take 1 000. */
export const AI_SDK_SUMMARY_TOKENS = 1_000;

/**
 * The title of a summary, as the AI SDK layer's template has it (of the three in its design), by which it finds the
 * last one.
 */
export const AI_SDK_SUMMARY_TITLE = "## Session Summary (Compaction Round {round})";

/**
 * As the AI SDK layer does: at 80 % of what the reserves leave (93 600 of 128 000 tokens) all but the last 10 messages
 * become a summary of rounds.
 */
export const aiSdkPreset: CompactionPreset = {
  name: "ai-sdk",
  description: "At 80 % of the window less reserves summarizes all but the last 10 messages, round by round.",
  ladder: [windowStrategy({ name: "session-summary", cut: lastMessages(AI_SDK_RECENT_MESSAGES), fold: "summarize" })],
  config: {
    policyVersion: "ai-sdk-v3",
    ...NO_RESERVES,
    softThresholdPercent: 1,
    targetPercent: 0,
    preserveRecentTurns: 0,
    summaryMaxTokens: AI_SDK_SUMMARY_TOKENS,
    summaryRole: "assistant",
    summaryWording: { introduction: AI_SDK_SUMMARY_TITLE },
    minReclaimPercent: 0,
  },
  trigger: (config) => {
    const threshold = aiSdkThreshold(config);
    return anyOf(
      allOf(tokenCountTrigger(aboveReserves(threshold, config)), messageCountTrigger(AI_SDK_RECENT_MESSAGES + 1)),
      ...LAST_RESORT,
    );
  },
  figures: { ...AI_SDK_RESERVES, recentMessagesToKeep: AI_SDK_RECENT_MESSAGES },
  promptVersion: "ai-sdk-v1",
};

/** The first number of tokens at which it fires: a share of what its reserves leave, 93 600 of 128 000. */
function aiSdkThreshold(config: ContextCompactionConfig): number {
  const { systemReserve, safetyBuffer, thresholdPercent } = AI_SDK_RESERVES;
  const kept = systemReserve + outputReserve(config, AI_SDK_RESERVES.outputReserve) + safetyBuffer;
  return Math.floor((config.maxInputTokens - kept) * thresholdPercent);
}
