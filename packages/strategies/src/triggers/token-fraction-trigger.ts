import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";
import { refuseShare } from "./refuse-share.ts";

/**
 * Fires when the request takes at least this share of the cap; hard when it exceeds the cap. A figure that the provider
 * reported for the current plan counts when it is higher than our own.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function tokenFractionTrigger(fraction: number): CompactionTrigger {
  refuseShare("token-fraction", fraction);
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
