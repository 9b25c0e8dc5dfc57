import { anyOf } from "../triggers/composite-trigger.ts";
import { overflowTrigger } from "../triggers/overflow-trigger.ts";
import { tokenFractionTrigger } from "../triggers/token-fraction-trigger.ts";
import { lastShareOfMessages } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import type { CompactionPreset } from "./compaction-preset.ts";

/** Seed 000: above 80 % the older 60 % of the messages become one summary; the newer 40 % stay, no call apart from its result. */
export const goatPreset: CompactionPreset = {
  name: "goat",
  description: "Above 80 % summarizes all but the last 40 % of the messages (seed 000).",
  ladder: [windowStrategy({ name: "goat-split", cut: lastShareOfMessages(0.4), fold: "summarize" })],
  config: {
    policyVersion: "goat-v1",
    softThresholdPercent: 0.8,
    preserveRecentTurns: 0,
    summaryRole: "pair",
    minReclaimPercent: 0,
  },
  trigger: (config) => anyOf(tokenFractionTrigger(config.softThresholdPercent), overflowTrigger),
};
