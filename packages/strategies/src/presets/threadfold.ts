import { clearStrategy } from "../ladder/clear-strategy.ts";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import { externalizeStrategy } from "../ladder/externalize-strategy.ts";
import { summarizeStrategy } from "../ladder/summarize-strategy.ts";
import { anyOf } from "../triggers/composite-trigger.ts";
import { manualTrigger } from "../triggers/manual-trigger.ts";
import { maxOutputTrigger } from "../triggers/max-output-trigger.ts";
import { overflowTrigger } from "../triggers/overflow-trigger.ts";
import { tokenFractionTrigger } from "../triggers/token-fraction-trigger.ts";
import type { CompactionPreset } from "./compaction-preset.ts";

/**
 * Threadfold's own policy: fold late and deep, so that epochs are long, and keep what calls come back for. The figures are
 * those of `threadfold simulate` on recorded sessions (`docs/benchmarks.md`): summarizing the oldest span before large
 * results are put away remembers more than the order of seed 002 (goat's), because a summary's index of names outlives any
 * pointer; and an index that may grow to a fifth of the window is cheaper than the messages that it stands for.
 */
export const threadfoldPreset: CompactionPreset = {
  name: "threadfold",
  description: "Folds at 97 % of the cap down to 50 %: summarize, externalize, clear, drop.",
  ladder: [summarizeStrategy, externalizeStrategy, clearStrategy, dropStrategy],
  config: {
    policyVersion: "threadfold-v2",
    costModelEnabled: true,
    softThresholdPercent: 0.97,
    summarizeTargetRatio: 0.5,
    summaryMaxTokens: 20_000,
  },
  trigger: (config) =>
    anyOf(tokenFractionTrigger(config.softThresholdPercent), maxOutputTrigger(), overflowTrigger, manualTrigger),
  figures: {},
  promptVersion: "threadfold-v1",
};
