import { clearStrategy } from "../ladder/clear-strategy.ts";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import { externalizeStrategy } from "../ladder/externalize-strategy.ts";
import { summarizeStrategy } from "../ladder/summarize-strategy.ts";
import type { CompactionPreset } from "./compaction-preset.ts";
import { threadfoldPreset } from "./threadfold.ts";

/**
 * Seed 002 to the letter: above 85 % the rungs from the least aggressive one on, down to 50 %. Large results go to the
 * artifact store first, then the oldest span is summarized, then bodies are emptied while calls stay, and only then groups
 * are dropped.
 */
export const ladderPreset: CompactionPreset = {
  name: "ladder",
  description: "Above 85 % of the room down to 50 %: externalize, summarize, clear, drop (seed 002).",
  ladder: [externalizeStrategy, summarizeStrategy, clearStrategy, dropStrategy],
  config: { policyVersion: "ladder-v1", costModelEnabled: true, softThresholdPercent: 0.85 },
  trigger: threadfoldPreset.trigger,
  figures: {},
  promptVersion: "threadfold-v1",
};
