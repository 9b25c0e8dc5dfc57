import type { ContextCompactionConfig } from "@threadfold/core";
import { clearStrategy } from "../ladder/clear-strategy.ts";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import { externalizeStrategy } from "../ladder/externalize-strategy.ts";
import { summarizeStrategy } from "../ladder/summarize-strategy.ts";
import type { CompactionTrigger } from "../triggers/compaction-trigger.ts";
import { anyOf } from "../triggers/composite-trigger.ts";
import { coldCacheTrigger, maxOutputTrigger } from "../triggers/event-triggers.ts";
import { tokenFractionTrigger } from "../triggers/size-triggers.ts";
import { type CompactionPreset, LAST_RESORT } from "./compaction-preset.ts";

/**
 * The fewest model calls between two folds. Writing a token to a prompt cache costs as much as reading it 12.5 times
 * (1.25 and 0.1 of an input token). Over 32 calls, writing is less than a third of the cost of what a fold keeps.
 */
const CALLS_PER_FOLD = 32;

const ladderTrigger = (config: ContextCompactionConfig): CompactionTrigger =>
  anyOf(tokenFractionTrigger(config.softThresholdPercent), maxOutputTrigger(), ...LAST_RESORT);

/**
 * Once the prompt cache has gone cold, the next request writes the whole prompt anew, so a smaller one costs less at
 * once. Above this share of the room, and above the target, the prompt is folded first (docs/decisions/0035).
 */
const COLD_SHARE = 0.3;

/**
 * Threadfold's own policy: fold late and deep, so that epochs are long, and keep what later calls come back for. The
 * figures come from `bench:memory` on recorded sessions. Summarizing the oldest span before externalizing large results
 * retains more than the order of the specification (preset `ladder`), because a summary outlives any pointer. And a
 * summary that may grow to a quarter of the window says more about what was found and done than the messages that it
 * stands for.
 */
export const threadfoldPreset: CompactionPreset = {
  name: "threadfold",
  description:
    "Folds at 90 % of the room, or when the prompt cache went cold, down to 50 %, to 25 % where calls are large: summarize, externalize, clear, drop.",
  ladder: [summarizeStrategy, externalizeStrategy, clearStrategy, dropStrategy],
  config: {
    policyVersion: "threadfold-v5",
    costModelEnabled: true,
    softThresholdPercent: 0.9,
    minCallsPerFold: CALLS_PER_FOLD,
    summarizeTargetRatio: 0.5,
    summaryMaxTokens: 20_000,
    summaryMaxPercent: 0.28,
    preserveRecentPercent: 0.35,
  },
  trigger: (config) => anyOf(ladderTrigger(config), coldCacheTrigger(COLD_SHARE)),
  figures: {},
  promptVersion: "threadfold-v2",
};

/**
 * The specification's ladder to the letter: above 85 %, it applies the rungs from the least aggressive one up, until
 * the request is down to 50 %. Large results go to the artifact store first, then the oldest span is summarized, then
 * bodies are emptied while calls stay, and only then are groups dropped.
 */
export const ladderPreset: CompactionPreset = {
  name: "ladder",
  description: "Above 85 % of the room down to 50 %: externalize, summarize, clear, drop.",
  ladder: [externalizeStrategy, summarizeStrategy, clearStrategy, dropStrategy],
  config: { policyVersion: "ladder-v1", costModelEnabled: true, softThresholdPercent: 0.85 },
  trigger: ladderTrigger,
  figures: {},
  promptVersion: "threadfold-v2",
};
