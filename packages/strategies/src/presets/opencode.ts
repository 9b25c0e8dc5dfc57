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

/** What OpenCode makes the user say behind an automatic compaction. */
export const OPENCODE_CONTINUATION = "Continue if you have next steps";

/** What OpenCode's compaction and pruning go by, in tokens. */
export interface OpencodeSettings {
  /** `PRUNE_PROTECT`: the newest tool output that is never pruned. 40 000 by default. */
  readonly pruneProtect?: number;
  /** `PRUNE_MINIMUM`: nothing is pruned unless more than this can be. 20 000 by default. */
  readonly pruneMinimum?: number;
}

/**
 * As OpenCode does: what exceeds the window less the output (`outputReserveTokens`), by our count or by what the provider
 * reported, becomes a summary of the whole history, told by the assistant. Apart from that, between turns, tool output beyond
 * the newest 40 000 tokens is pruned if that takes out more than 20 000.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a figure that is not a whole number of at least 0.
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

/** OpenCode with its own figures. */
export const opencodePreset: CompactionPreset = opencode();
