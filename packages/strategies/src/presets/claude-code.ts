import { anyOf } from "../triggers/composite-trigger.ts";
import { tokenFractionTrigger } from "../triggers/size-triggers.ts";
import { nothing } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { type CompactionPreset, LAST_RESORT, NO_RESERVES } from "./compaction-preset.ts";

/** Folds like Claude Code: at 95 % the whole history is replaced with a summary, from which the session starts over. */
export const claudeCodePreset: CompactionPreset = {
  name: "claude-code",
  description: "At 95 % summarizes the whole history before the newest user message.",
  ladder: [windowStrategy({ name: "summarize-all", cut: nothing, fold: "summarize", oneSummary: true })],
  config: {
    policyVersion: "claude-code-v3",
    ...NO_RESERVES,
    softThresholdPercent: 0.95,
    targetPercent: 0,
    preserveRecentTurns: 0,
    summaryRole: "user",
    minReclaimPercent: 0,
  },
  trigger: (config) => anyOf(tokenFractionTrigger(config.softThresholdPercent), ...LAST_RESORT),
  figures: {},
  promptVersion: "claude-code-v2",
};
