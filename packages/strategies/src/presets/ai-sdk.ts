import { allOf, anyOf } from "../triggers/composite-trigger.ts";
import { messageCountTrigger, tokenCountTrigger } from "../triggers/count-triggers.ts";
import { lastMessages } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import {
  aboveReserves,
  type CompactionPreset,
  LAST_RESORT,
  NO_RESERVES,
  outputReserve,
  policyWith,
  presetFigures,
} from "./compaction-preset.ts";

/** The AI SDK layer's reserves in tokens, and how many messages it keeps. */
export const AI_SDK_RESERVES = Object.freeze({
  systemReserve: 2_000,
  outputReserve: 4_000,
  safetyBuffer: 5_000,
  thresholdPercent: 0.8,
});
export const AI_SDK_RECENT_MESSAGES = 10;

/** The AI SDK layer's window, in tokens, where nobody says which one the model has. */
export const AI_SDK_CONTEXT_LIMIT = 128_000;

/** The AI SDK layer's `maxTokens`: a summary aims at 800 tokens and may take 1 000. */
export const AI_SDK_SUMMARY_TOKENS = 1_000;

/**
 * The title of a summary, as the AI SDK layer's template has it (of the three in its design), by which it finds the
 * last one.
 */
export const AI_SDK_SUMMARY_TITLE = "## Session Summary (Compaction Round {round})";

/** What the AI SDK layer derives its threshold from; all but the share are tokens. */
interface ThresholdFigures {
  readonly modelContextLimit: number;
  readonly systemReserve: number;
  readonly outputReserve: number;
  readonly safetyBuffer: number;
  /** From 0 to 1. */
  readonly thresholdPercent: number;
}

/** The tokens at which the AI SDK layer compacts: a share of what its reserves leave, 93 600 of 128 000. */
export function compactionThreshold(figures: ThresholdFigures): number {
  const { modelContextLimit, systemReserve, outputReserve, safetyBuffer, thresholdPercent } = figures;
  return Math.floor((modelContextLimit - systemReserve - outputReserve - safetyBuffer) * thresholdPercent);
}

/** What the AI SDK layer's configuration holds; the window is `maxInputTokens`; all but the last are tokens. */
export interface AiSdkSettings {
  readonly systemReserve?: number;
  readonly outputReserve?: number;
  readonly safetyBuffer?: number;
  readonly recentMessagesToKeep?: number;
}

/**
 * As the AI SDK layer does: at 80 % of what the reserves leave (93 600 of 128 000 tokens) all but the last 10 messages
 * become a summary of rounds.
 */
export function aiSdk(settings: AiSdkSettings = {}): CompactionPreset {
  const { thresholdPercent, ...reserves } = AI_SDK_RESERVES;
  const defaults = { ...reserves, recentMessagesToKeep: AI_SDK_RECENT_MESSAGES };
  const figures = presetFigures("ai-sdk", defaults, settings);
  const { systemReserve, safetyBuffer, recentMessagesToKeep } = figures;
  return {
    name: "ai-sdk",
    description: "At 80 % of the window less reserves summarizes all but the last 10 messages, round by round.",
    ladder: [
      windowStrategy({
        name: "session-summary",
        cut: lastMessages(recentMessagesToKeep),
        fold: "summarize",
        oneSummary: true,
      }),
    ],
    config: {
      policyVersion: policyWith("ai-sdk-v5", settings),
      ...NO_RESERVES,
      maxInputTokens: AI_SDK_CONTEXT_LIMIT,
      // The share is of what the reserves leave, and the layer never compacts so few messages: its trigger says both.
      softThresholdPercent: 1,
      targetPercent: 0,
      preserveRecentTurns: 0,
      summaryMaxTokens: AI_SDK_SUMMARY_TOKENS,
      summaryRole: "assistant",
      summaryWording: { introduction: AI_SDK_SUMMARY_TITLE },
      minReclaimPercent: 0,
    },
    trigger: (config) => {
      const threshold = compactionThreshold({
        systemReserve,
        safetyBuffer,
        outputReserve: outputReserve(config, figures.outputReserve),
        thresholdPercent: Math.min(thresholdPercent, config.softThresholdPercent),
        modelContextLimit: config.maxInputTokens,
      });
      return anyOf(
        allOf(tokenCountTrigger(aboveReserves(threshold, config)), messageCountTrigger(recentMessagesToKeep + 1)),
        ...LAST_RESORT,
      );
    },
    figures: { ...figures, thresholdPercent },
    promptVersion: "ai-sdk-v1",
  };
}

/** The AI SDK layer with its own figures. */
export const aiSdkPreset: CompactionPreset = aiSdk();
