import { compactionThreshold } from "@threadfold/core";
import { anyOf } from "../triggers/composite-trigger.ts";
import { tokenCountTrigger } from "../triggers/count-triggers.ts";
import { overflowTrigger } from "../triggers/overflow-trigger.ts";
import { lastMessages } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import type { CompactionPreset } from "./compaction-preset.ts";

/** Seed 003's reserves in tokens, and how many messages it keeps. */
export const AI_SDK_RESERVES = Object.freeze({
  systemReserve: 2_000,
  outputReserve: 4_000,
  safetyBuffer: 5_000,
  thresholdPercent: 0.8,
});
export const AI_SDK_RECENT_MESSAGES = 10;

/** Seed 003: at 80 % of what the reserves leave (93 600 of 128 000 tokens) all but the last 10 messages become a summary of rounds. */
export const aiSdkPreset: CompactionPreset = {
  name: "ai-sdk",
  description:
    "At 80 % of the window less reserves summarizes all but the last 10 messages, round by round (seed 003).",
  ladder: [windowStrategy({ name: "session-summary", cut: lastMessages(AI_SDK_RECENT_MESSAGES), fold: "summarize" })],
  config: {
    policyVersion: "ai-sdk-v1",
    softThresholdPercent: 0.8,
    preserveRecentTurns: 0,
    summaryRole: "assistant",
    minReclaimPercent: 0,
  },
  trigger: (config) =>
    anyOf(
      tokenCountTrigger(
        Math.max(1, compactionThreshold({ ...AI_SDK_RESERVES, modelContextLimit: config.maxInputTokens })),
      ),
      overflowTrigger,
    ),
};
