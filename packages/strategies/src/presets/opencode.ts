import { roomTokens } from "@threadfold/core";
import { anyOf } from "../triggers/composite-trigger.ts";
import { tokenCountTrigger } from "../triggers/count-triggers.ts";
import { usedTokensTrigger } from "../triggers/size-triggers.ts";
import { nothing } from "../windows/cut-points.ts";
import { pruneStrategy } from "../windows/prune-strategy.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { type CompactionPreset, LAST_RESORT, NO_RESERVES, policyWith, presetFigures } from "./compaction-preset.ts";

/** OpenCode's `PRUNE_PROTECT` and `PRUNE_MINIMUM`, in tokens of tool output. */
export const OPENCODE_PRUNE_PROTECT = 40_000;
export const OPENCODE_PRUNE_MINIMUM = 20_000;

/** The user message that OpenCode adds after an automatic compaction. */
export const OPENCODE_CONTINUATION = "Continue if you have next steps";

/** The figures of OpenCode's pruning, in tokens. */
export interface OpencodeSettings {
  /** `PRUNE_PROTECT`: the amount of newest tool output that is never pruned. 40 000 by default. */
  readonly pruneProtect?: number;
  /** `PRUNE_MINIMUM`: nothing is pruned unless pruning takes out more than this. 20 000 by default. */
  readonly pruneMinimum?: number;
}

/**
 * Returns a preset that folds like OpenCode: when a request, by our count or the provider's, exceeds the window minus
 * the output (`outputReserveTokens`), the whole history becomes a summary in an assistant message. Separately, between
 * turns, tool output beyond the newest 40 000 tokens is pruned if that takes out more than 20 000.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when a figure is not a whole number of at least 0.
 */
export function opencode(settings: OpencodeSettings = {}): CompactionPreset {
  const defaults = { pruneProtect: OPENCODE_PRUNE_PROTECT, pruneMinimum: OPENCODE_PRUNE_MINIMUM };
  const { pruneProtect, pruneMinimum } = presetFigures("opencode", defaults, settings);
  const prune = pruneStrategy({ protectTokens: pruneProtect, minimumTokens: pruneMinimum });
  return {
    name: "opencode",
    description: "Prunes tool output beyond the newest 40 000 tokens if it frees 20 000, then summarizes.",
    ladder: [prune, windowStrategy({ name: "summarize-all", cut: nothing, fold: "summarize", oneSummary: true })],
    upkeep: { trigger: tokenCountTrigger(pruneProtect + pruneMinimum), strategy: prune },
    config: {
      policyVersion: policyWith("opencode-v3", settings),
      ...NO_RESERVES,
      softThresholdPercent: 1,
      preserveRecentTurns: 0,
      summaryRole: "assistant",
      summaryWording: { continuation: OPENCODE_CONTINUATION },
      minReclaimPercent: 0,
    },
    trigger: (config) =>
      anyOf(usedTokensTrigger(Math.floor(config.softThresholdPercent * roomTokens(config)) + 1), ...LAST_RESORT),
    figures: { PRUNE_PROTECT: pruneProtect, PRUNE_MINIMUM: pruneMinimum },
    promptVersion: "opencode-v2",
  };
}

/** The preset {@link opencode} with OpenCode's own figures. */
export const opencodePreset: CompactionPreset = opencode();
