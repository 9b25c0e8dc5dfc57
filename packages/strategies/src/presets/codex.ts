import { type ContextCompactionConfig, checkArgument } from "@threadfold/core";
import { anyOf } from "../triggers/composite-trigger.ts";
import { usedTokensTrigger } from "../triggers/size-triggers.ts";
import { nothing } from "../windows/cut-points.ts";
import { windowStrategy } from "../windows/window-strategy.ts";
import { type CompactionPreset, LAST_RESORT, NO_RESERVES, policyWith, presetFigures } from "./compaction-preset.ts";

/** Tokens of recent user messages that Codex keeps next to the summary. */
export const CODEX_USER_MESSAGE_TOKENS = 20_000;

/** Codex's `effective_context_window_percent`: the share of the window that Codex uses at most. */
export const CODEX_EFFECTIVE_WINDOW = 0.95;

/** Codex's `summary_prefix.md`: the text that introduces a summary to the model that continues the work. */
export const CODEX_SUMMARY_PREFIX =
  "Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:";

/** The settings that Codex offers its users, in tokens. */
export interface CodexSettings {
  /**
   * `model_auto_compact_token_limit`: the request size at which Codex compacts; nine tenths of the window by default.
   */
  readonly autoCompactTokenLimit?: number;
  /** Tokens of recent user messages to keep next to the summary; 20 000 by default. */
  readonly userMessageTokens?: number;
}

/**
 * Returns a preset that folds like Codex: it keeps the initial context and the newest user messages up to 20 000
 * tokens, followed by one summary of everything else. It fires at a number of tokens rather than a share of the window,
 * counted by us or reported by the provider, whichever is higher.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when a figure is not a whole number of at least 0.
 */
export function codex(settings: CodexSettings = {}): CompactionPreset {
  const defaults = { userMessageTokens: CODEX_USER_MESSAGE_TOKENS, autoCompactTokenLimit: 0 };
  const { userMessageTokens } = presetFigures("codex", defaults, settings);
  const limit = settings.autoCompactTokenLimit;
  return {
    name: "codex",
    description:
      "At nine tenths of the window keeps the newest user messages up to 20 000 tokens and summarizes the rest.",
    ladder: [
      windowStrategy({
        name: "checkpoint",
        cut: nothing,
        fold: "summarize",
        keepUserTokens: userMessageTokens,
        oneSummary: true,
      }),
    ],
    config: {
      policyVersion: policyWith("codex-v5", settings),
      ...NO_RESERVES,
      softThresholdPercent: CODEX_EFFECTIVE_WINDOW,
      targetPercent: 0,
      preserveRecentTurns: 0,
      summaryRole: "user",
      summaryWording: { introduction: CODEX_SUMMARY_PREFIX },
      minReclaimPercent: 0,
    },
    trigger: (config) => anyOf(usedTokensTrigger(codexAutoCompactLimit(config, limit)), ...LAST_RESORT),
    figures: { userMessageTokens, ...(limit !== undefined && { autoCompactTokenLimit: limit }) },
    promptVersion: "codex-v2",
    warnAfterCompactions: 1,
  };
}

/** The preset {@link codex} with Codex's own figures. */
export const codexPreset: CompactionPreset = codex();

/**
 * Returns Codex's `model_auto_compact_token_limit`, in tokens: the value that was set, or nine tenths of the window
 * (180 000 of 200 000), but never more than the share of the window that is used at all (`softThresholdPercent`).
 */
export function codexAutoCompactLimit(config: ContextCompactionConfig, limit?: number): number {
  checkArgument("config", config, "object");
  const { maxInputTokens, softThresholdPercent } = config;
  return Math.max(
    1,
    Math.min(limit ?? Math.floor((maxInputTokens * 9) / 10), Math.floor(maxInputTokens * softThresholdPercent)),
  );
}
