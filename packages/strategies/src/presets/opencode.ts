import { anyOf } from "../triggers/composite-trigger.ts";
import { nothing } from "../windows/cut-points.ts";
import { pruneStrategy } from "../windows/prune-strategy.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { type CompactionPreset, LAST_RESORT, NO_RESERVES } from "./compaction-preset.ts";

/** OpenCode's `PRUNE_PROTECT` and `PRUNE_MINIMUM`, in tokens of tool output. */
export const OPENCODE_PRUNE_PROTECT = 40_000;
export const OPENCODE_PRUNE_MINIMUM = 20_000;

/**
 * As OpenCode does: fires when the tokens exceed the window less what is kept for the answer, which is the room of a
 * request. Tool output beyond the newest 40 000 tokens is pruned if there are more than 20 000 of it; what is still
 * above the target is summarized.
 */
export const opencodePreset: CompactionPreset = {
  name: "opencode",
  description: "Prunes tool output beyond the newest 40 000 tokens if it frees 20 000, then summarizes.",
  ladder: [
    pruneStrategy({ protectTokens: OPENCODE_PRUNE_PROTECT, minimumTokens: OPENCODE_PRUNE_MINIMUM }),
    windowStrategy({ name: "summarize-all", cut: nothing, fold: "summarize" }),
  ],
  config: {
    policyVersion: "opencode-v2",
    ...NO_RESERVES,
    softThresholdPercent: 1,
    preserveRecentTurns: 0,
    summaryRole: "user",
    minReclaimPercent: 0,
  },
  trigger: () => anyOf(...LAST_RESORT),
  figures: { PRUNE_PROTECT: OPENCODE_PRUNE_PROTECT, PRUNE_MINIMUM: OPENCODE_PRUNE_MINIMUM },
  promptVersion: "opencode-v2",
};
