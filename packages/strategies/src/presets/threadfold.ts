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
 * Threadfold's own policy: fold at 85 % down to 50 %, so that epochs are long. The rungs stand in the order of seed 002:
 * large results go to the artifact store first, then the oldest span is summarized, then bodies are emptied while calls
 * stay, and only then groups are dropped.
 */
export const threadfoldPreset: CompactionPreset = {
  name: "threadfold",
  description: "Folds at 85 % of the cap down to 50 %: externalize, summarize, clear, drop.",
  ladder: [externalizeStrategy, summarizeStrategy, clearStrategy, dropStrategy],
  config: { policyVersion: "threadfold-v1", costModelEnabled: true },
  trigger: (config) =>
    anyOf(tokenFractionTrigger(config.softThresholdPercent), maxOutputTrigger(), overflowTrigger, manualTrigger),
  figures: {},
  promptVersion: "threadfold-v1",
};
