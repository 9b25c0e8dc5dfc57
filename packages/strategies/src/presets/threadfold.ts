import { clearStrategy } from "../ladder/clear-strategy.ts";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import { externalizeStrategy } from "../ladder/externalize-strategy.ts";
import { summarizeStrategy } from "../ladder/summarize-strategy.ts";
import { anyOf } from "../triggers/composite-trigger.ts";
import { overflowTrigger } from "../triggers/overflow-trigger.ts";
import { tokenFractionTrigger } from "../triggers/token-fraction-trigger.ts";
import type { CompactionPreset } from "./compaction-preset.ts";

/**
 * Threadfold's own policy: fold at 85 % down to 50 %, so that epochs are long. Large results go to the artifact store
 * first, then small bodies are emptied while calls stay, then the oldest span is summarized, and only then dropped.
 */
export const threadfoldPreset: CompactionPreset = {
  name: "threadfold",
  description: "Folds at 85 % of the cap down to 50 %: externalize, clear, summarize, drop.",
  ladder: [externalizeStrategy, clearStrategy, summarizeStrategy, dropStrategy],
  config: { policyVersion: "threadfold-v1" },
  trigger: (config) => anyOf(tokenFractionTrigger(config.softThresholdPercent), overflowTrigger),
};
