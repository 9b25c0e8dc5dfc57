import type { ContextCompactionConfig } from "@threadfold/core";
import { anyOf } from "../triggers/composite-trigger.ts";
import { tokenCountTrigger } from "../triggers/count-triggers.ts";
import { nothing } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { type CompactionPreset, LAST_RESORT } from "./compaction-preset.ts";

/** Tokens of recent user messages that Codex keeps next to the summary. */
export const CODEX_USER_MESSAGE_TOKENS = 20_000;

/** Codex's `effective_context_window_percent`: the share of the window that is used at all. */
export const CODEX_EFFECTIVE_WINDOW = 0.95;

/** Codex's `summary_prefix.md`: how it hands a summary to the model that goes on. */
export const CODEX_SUMMARY_PREFIX =
  "Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:";

/**
 * As Codex does: the initial context, the newest user messages up to 20 000 tokens, and behind them one summary of all
 * the rest. It fires at a number of tokens and not at a share of the window.
 */
export const codexPreset: CompactionPreset = {
  name: "codex",
  description:
    "At nine tenths of the window keeps the newest user messages up to 20 000 tokens and summarizes the rest.",
  ladder: [
    windowStrategy({
      name: "checkpoint",
      cut: nothing,
      fold: "summarize",
      keepUserTokens: CODEX_USER_MESSAGE_TOKENS,
      oneSummary: true,
    }),
  ],
  config: {
    policyVersion: "codex-v4",
    softThresholdPercent: CODEX_EFFECTIVE_WINDOW,
    targetPercent: 0,
    preserveRecentTurns: 0,
    summaryRole: "user",
    summaryWording: { introduction: CODEX_SUMMARY_PREFIX },
    minReclaimPercent: 0,
  },
  trigger: (config) => anyOf(tokenCountTrigger(codexAutoCompactLimit(config)), ...LAST_RESORT),
  figures: { userMessageTokens: CODEX_USER_MESSAGE_TOKENS },
  promptVersion: "codex-v2",
};

/**
 * `model_auto_compact_token_limit`: nine tenths of the window, which is Codex's 180 000 of 200 000 and about 244 000 of
 * 272 000.
 */
export function codexAutoCompactLimit({ maxInputTokens }: ContextCompactionConfig): number {
  return Math.max(1, Math.floor((maxInputTokens * 9) / 10));
}
