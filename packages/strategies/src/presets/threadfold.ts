import { clearStrategy } from "../ladder/clear-strategy.ts";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import { externalizeStrategy } from "../ladder/externalize-strategy.ts";
import { summarizeStrategy } from "../ladder/summarize-strategy.ts";
import { anyOf } from "../triggers/composite-trigger.ts";
import { maxOutputTrigger } from "../triggers/max-output-trigger.ts";
import { tokenFractionTrigger } from "../triggers/token-fraction-trigger.ts";
import type { CompactionPreset } from "./compaction-preset.ts";
import { LAST_RESORT } from "./last-resort.ts";

/**
 * Writing a token to a prompt cache costs as much as reading it 12.5 times (1.25 and 0.1 of an input token). Over twice as
 * many calls, what a fold keeps costs a third in writing and two thirds in reading.
 */
const CALLS_PER_FOLD = 32;

/**
 * Threadfold's own policy: fold late and deep, so that epochs are long, and keep what calls come back for. The figures are
 * those of `bench:memory` on recorded sessions: summarizing the oldest span before large results are put away remembers
 * more than the order of seed 002 (goat's), because a summary outlives any pointer; and a summary that may grow to a quarter
 * of the window says more of what was found and done than the messages that it stands for.
 */
export const threadfoldPreset: CompactionPreset = {
  name: "threadfold",
  description:
    "Folds at 90 % of the room down to 50 %, to 25 % where calls are large: summarize, externalize, clear, drop.",
  ladder: [summarizeStrategy, externalizeStrategy, clearStrategy, dropStrategy],
  config: {
    policyVersion: "threadfold-v3",
    costModelEnabled: true,
    softThresholdPercent: 0.9,
    minCallsPerFold: CALLS_PER_FOLD,
    summarizeTargetRatio: 0.5,
    summaryMaxTokens: 20_000,
    summaryMaxPercent: 0.26,
    preserveRecentPercent: 0.35,
  },
  trigger: (config) => anyOf(tokenFractionTrigger(config.softThresholdPercent), maxOutputTrigger(), ...LAST_RESORT),
  figures: {},
  promptVersion: "threadfold-v1",
};
