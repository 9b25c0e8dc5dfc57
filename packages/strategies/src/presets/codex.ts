import { anyOf } from "../triggers/composite-trigger.ts";
import { overflowTrigger } from "../triggers/overflow-trigger.ts";
import { tokenFractionTrigger } from "../triggers/token-fraction-trigger.ts";
import { nothing } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import type { CompactionPreset } from "./compaction-preset.ts";

/** Tokens of recent user messages that Codex keeps beside the summary (seed 001). */
export const CODEX_USER_MESSAGE_TOKENS = 20_000;

/** Seed 001, Codex: initial context, the newest user messages up to 20 000 tokens, and a summary of all the rest. */
export const codexPreset: CompactionPreset = {
  name: "codex",
  description:
    "At 95 % of the window keeps the newest user messages up to 20 000 tokens and summarizes the rest (seed 001).",
  ladder: [
    windowStrategy({ name: "checkpoint", cut: nothing, fold: "summarize", keepUserTokens: CODEX_USER_MESSAGE_TOKENS }),
    windowStrategy({ name: "checkpoint-all", cut: nothing, fold: "summarize" }),
  ],
  config: {
    policyVersion: "codex-v1",
    softThresholdPercent: 0.95,
    preserveRecentTurns: 0,
    summaryRole: "user",
    minReclaimPercent: 0,
  },
  trigger: (config) => anyOf(tokenFractionTrigger(config.softThresholdPercent), overflowTrigger),
};
