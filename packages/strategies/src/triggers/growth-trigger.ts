import { ThreadfoldError } from "@threadfold/core";
import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";

/**
 * Fires when the request has grown by at least so many tokens since the current plan was committed. Every commit sets a
 * new baseline, so that what was folded once is not measured again (S34).
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function growthTrigger(growth: number): CompactionTrigger {
  if (!Number.isFinite(growth) || growth <= 0)
    throw new ThreadfoldError("INVALID_CONFIG", `The growth is ${growth} tokens; it must be more than 0.`);
  return {
    name: `growth ${growth}`,
    evaluate({ tokens, baselineTokens = 0, roomTokens }) {
      const grown = tokens - baselineTokens;
      if (grown < growth) return NO_TRIGGER;
      const reason = `${grown} tokens came on top of ${baselineTokens} since the last fold`;
      return { level: tokens > roomTokens ? "hard" : "soft", reason };
    },
  };
}
