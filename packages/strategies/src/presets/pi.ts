import { type ContextCompactionConfig, checkArgument, roomTokens } from "@threadfold/core";
import { anyOf } from "../triggers/composite-trigger.ts";
import { contextTokensTrigger } from "../triggers/size-triggers.ts";
import { lastTokensInWholeTurns, lastTokensSplittingTurns } from "../windows/cut-points.ts";
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

/** pi's `reserveTokens` and `keepRecentTokens`, in tokens. */
export const PI_RESERVE_TOKENS = 16_384;
export const PI_KEEP_RECENT_TOKENS = 20_000;

/** pi's `maxTokens`: a summary may take 0.8 of the reserve, 13 107 tokens; the rest is for prompt and margin. */
export const PI_SUMMARY_TOKENS = Math.floor(0.8 * PI_RESERVE_TOKENS);

/** pi's prefix: the text before the summary in the user message that contains it. */
export const PI_SUMMARY_PREFIX =
  "Another language model worked on this task and produced a summary. Use this to continue the work without duplicating effort:";

/** The settings that pi offers its users (`compaction` in its settings file), in tokens except for `splitTurns`. */
export interface PiSettings {
  /** Part of the window to keep free; compaction starts above the rest. 16 384 by default. */
  readonly reserveTokens?: number;
  /** The newest part of the conversation, which stays unchanged. 20 000 by default. */
  readonly keepRecentTokens?: number;
  /**
   * False to cut only between turns: a last turn that is larger than `keepRecentTokens` then stays whole. True by
   * default: such a turn is split before an assistant message, and its beginning is summarized.
   */
  readonly splitTurns?: boolean;
}

/**
 * Returns a preset that folds like pi: once a request comes within 16 384 tokens of the window, the history before the
 * last 20 000 tokens becomes a summary. The cut is at the start of a turn; a single turn larger than that is split
 * (L20). The trigger uses our count or the provider's report of prompt and answer, whichever is higher.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when a figure is not a whole number of at least 0, or `splitTurns` no flag.
 */
export function pi(given: PiSettings = {}): CompactionPreset {
  checkArgument("settings", given, "object");
  const { splitTurns = true, ...settings } = given;
  checkArgument("splitTurns", splitTurns, "flag");
  const defaults = { reserveTokens: PI_RESERVE_TOKENS, keepRecentTokens: PI_KEEP_RECENT_TOKENS };
  const figures = presetFigures("pi", defaults, settings);
  const { reserveTokens, keepRecentTokens } = figures;
  const cut = splitTurns ? lastTokensSplittingTurns(keepRecentTokens) : lastTokensInWholeTurns(keepRecentTokens);
  return {
    name: "pi",
    description: "Within 16 384 tokens of the cap summarizes all but the last 20 000 tokens, cut at a turn.",
    ladder: [windowStrategy({ name: "turn-cut", cut, fold: "summarize" })],
    config: {
      policyVersion: policyWith("pi-v4", { ...settings, ...(!splitTurns && { splitTurns }) }),
      ...NO_RESERVES,
      softThresholdPercent: 1,
      targetPercent: 0,
      preserveRecentTurns: 0,
      summaryMaxTokens: Math.max(1, Math.floor(0.8 * reserveTokens)),
      summaryRole: "user",
      summaryWording: { introduction: PI_SUMMARY_PREFIX },
      minReclaimPercent: 0,
    },
    trigger: (config) => anyOf(contextTokensTrigger(piThreshold(config, reserveTokens)), ...LAST_RESORT),
    figures,
    promptVersion: "pi-v3",
    warnAfterCompactions: 1,
  };
}

/** The preset {@link pi} with pi's own figures. */
export const piPreset: CompactionPreset = pi();

/**
 * The first number of tokens above the window minus the reserve, or the configured share of the room if that is less.
 */
function piThreshold(config: ContextCompactionConfig, reserveTokens: number): number {
  const { maxInputTokens, softThresholdPercent } = config;
  const threshold = aboveReserves(maxInputTokens - outputReserve(config, reserveTokens) + 1, config);
  return softThresholdPercent < 1
    ? Math.min(threshold, Math.ceil(softThresholdPercent * roomTokens(config)))
    : threshold;
}
