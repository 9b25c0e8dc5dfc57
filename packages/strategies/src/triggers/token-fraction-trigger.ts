import { ThreadfoldError } from "@threadfold/core";
import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";

/**
 * Fires when the request takes at least this share of the cap; hard when it exceeds the cap. A figure that the provider
 * reported for the current plan counts when it is higher than our own.
 */
export function tokenFractionTrigger(fraction: number): CompactionTrigger {
  if (!(fraction > 0 && fraction <= 1)) {
    throw new ThreadfoldError(
      "INVALID_CONFIG",
      `The token fraction is ${fraction}; it must be more than 0 and at most 1.`,
    );
  }
  return {
    name: `token-fraction ${fraction}`,
    evaluate({ tokens, reportedTokens = 0, maxInputTokens }) {
      const used = Math.max(tokens, reportedTokens);
      if (used < fraction * maxInputTokens) return NO_TRIGGER;
      const reason = `${used} tokens are ${Math.round((100 * used) / maxInputTokens)} % of ${maxInputTokens}`;
      return { level: used > maxInputTokens ? "hard" : "soft", reason };
    },
  };
}
