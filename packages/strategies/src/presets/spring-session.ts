import type { CompactionStrategy } from "../strategy/compaction-strategy.ts";
import { anyOf } from "../triggers/composite-trigger.ts";
import { messageTokensTrigger, shownTurnCountTrigger } from "../triggers/count-triggers.ts";
import { recursiveSummarization, slidingWindow, tokenCountWindow, turnWindow } from "../windows/window-strategies.ts";
import { type CompactionPreset, LAST_RESORT, NO_RESERVES } from "./compaction-preset.ts";

/** The figures in the documentation of Spring AI Session: when its triggers fire, and what its strategies keep. */
export const SPRING_SESSION = Object.freeze({
  turns: 20,
  tokens: 4_000,
  maxEvents: 20,
  maxTurns: 10,
  maxTokens: 4_000,
  maxEventsToKeep: 10,
  overlapSize: 2,
});

const { maxEvents, maxTurns, maxTokens, maxEventsToKeep, overlapSize } = SPRING_SESSION;

/**
 * Folds like Spring AI Session: above 20 turns or from 4 000 tokens on, all but the last 10 events become a rolling
 * summary, shown as a separate turn.
 */
export const springSessionPreset: CompactionPreset = springSession(
  "spring-session",
  "Above 20 turns or at 4 000 tokens summarizes all but the last 10 events on top of the last summary.",
  recursiveSummarization({ maxEventsToKeep, overlapSize }),
  { maxEventsToKeep, overlapSize },
);

/** Spring AI Session's three strategies without a summarizer, each under the same triggers. */
export const springSlidingPreset: CompactionPreset = springSession(
  "spring-session-sliding",
  "Above 20 turns or at 4 000 tokens keeps the last 20 events, from a turn start on.",
  slidingWindow({ maxEvents }),
  { maxEvents },
);
export const springTurnsPreset: CompactionPreset = springSession(
  "spring-session-turns",
  "Above 20 turns or at 4 000 tokens keeps the last 10 turns and everything before the first of them.",
  turnWindow({ maxTurns }),
  { maxTurns },
);
export const springTokensPreset: CompactionPreset = springSession(
  "spring-session-tokens",
  "Above 20 turns or at 4 000 tokens keeps a suffix of 4 000 tokens, from a turn start on.",
  tokenCountWindow({ maxTokens }),
  { maxTokens },
);

function springSession(
  name: string,
  description: string,
  strategy: CompactionStrategy,
  figures: CompactionPreset["figures"],
): CompactionPreset {
  return {
    name,
    description,
    ladder: [strategy],
    config: {
      policyVersion: `${name}-v2`,
      ...NO_RESERVES,
      softThresholdPercent: 1,
      targetPercent: 0,
      preserveRecentTurns: 0,
      summaryRole: "pair",
      minReclaimPercent: 0,
    },
    trigger: () =>
      anyOf(shownTurnCountTrigger(SPRING_SESSION.turns), messageTokensTrigger(SPRING_SESSION.tokens), ...LAST_RESORT),
    figures: { turns: SPRING_SESSION.turns, tokens: SPRING_SESSION.tokens, ...figures },
    promptVersion: "spring-session-v1",
  };
}
