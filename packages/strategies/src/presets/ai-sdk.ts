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

/**
 * The AI SDK layer's reserves, in tokens; the share of the rest at which it compacts; and how many messages it keeps.
 */
export const AI_SDK_RESERVES = Object.freeze({
  systemReserve: 2_000,
  outputReserve: 4_000,
  safetyBuffer: 5_000,
  thresholdPercent: 0.8,
});
export const AI_SDK_RECENT_MESSAGES = 10;

/** The context window, in tokens, that the AI SDK layer assumes when the model's is not given. */
export const AI_SDK_CONTEXT_LIMIT = 128_000;

/** The AI SDK layer's `maxTokens`: a summary aims for 800 tokens and may take 1 000. */
export const AI_SDK_SUMMARY_TOKENS = 1_000;

/**
 * The title in the AI SDK layer's summary template (of the three in its design), by which it finds its last summary.
 */
export const AI_SDK_SUMMARY_TITLE = "## Session Summary (Compaction Round {round})";

/** The figures that the AI SDK layer derives its threshold from; all except `thresholdPercent` are in tokens. */
interface ThresholdFigures {
  readonly modelContextLimit: number;
  readonly systemReserve: number;
  readonly outputReserve: number;
  readonly safetyBuffer: number;
  /** From 0 to 1. */
  readonly thresholdPercent: number;
}

/** Returns the tokens at which the AI SDK layer compacts: a share of what its reserves leave, 93 600 of 128 000. */
export function compactionThreshold(figures: ThresholdFigures): number {
  const { modelContextLimit, systemReserve, outputReserve, safetyBuffer, thresholdPercent } = figures;
  return Math.floor((modelContextLimit - systemReserve - outputReserve - safetyBuffer) * thresholdPercent);
}

/**
 * The AI SDK layer's settings, all in tokens except `recentMessagesToKeep`. Its window is set with `maxInputTokens`.
 */
export interface AiSdkSettings {
  readonly systemReserve?: number;
  readonly outputReserve?: number;
  readonly safetyBuffer?: number;
  readonly recentMessagesToKeep?: number;
}

/**
 * Returns a preset that folds like the AI SDK layer: at 80 % of what the reserves leave (93 600 of 128 000 tokens), all
 * but the last 10 messages become one summary, which later rounds build on.
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
      // The trigger below applies the threshold, a share of what the reserves leave, and the minimum of messages.
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

/** The preset {@link aiSdk} with the layer's own figures. */
export const aiSdkPreset: CompactionPreset = aiSdk();
