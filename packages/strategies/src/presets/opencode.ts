import { anyOf } from "../triggers/composite-trigger.ts";
import { overflowTrigger } from "../triggers/overflow-trigger.ts";
import { tokenFractionTrigger } from "../triggers/token-fraction-trigger.ts";
import { nothing } from "../windows/cut-points.ts";
import { pruneStrategy } from "../windows/prune-strategy.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import type { CompactionPreset } from "./compaction-preset.ts";

/** Seed 001, OpenCode: prune tool output beyond the newest 40 000 tokens if that frees 20 000; then summarize. */
export const opencodePreset: CompactionPreset = {
  name: "opencode",
  description: "Prunes tool output beyond the newest 40 000 tokens if it frees 20 000, then summarizes (seed 001).",
  ladder: [
    pruneStrategy({ protectTokens: 40_000, minimumTokens: 20_000 }),
    windowStrategy({ name: "summarize-all", cut: nothing, fold: "summarize" }),
  ],
  config: {
    policyVersion: "opencode-v1",
    softThresholdPercent: 1,
    preserveRecentTurns: 0,
    summaryRole: "user",
    minReclaimPercent: 0,
  },
  trigger: (config) => anyOf(tokenFractionTrigger(config.softThresholdPercent), overflowTrigger),
};
