import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";
import { refuseShare } from "./refuse-share.ts";

/**
 * Fires when the request takes at least this share of its room; hard when it exceeds the room. A figure that the provider
 * reported for the current plan counts when it is higher than our own.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function tokenFractionTrigger(fraction: number): CompactionTrigger {
  refuseShare("token-fraction", fraction);
  return {
    name: `token-fraction ${fraction}`,
    evaluate({ tokens, reportedTokens = 0, roomTokens }) {
      const used = Math.max(tokens, reportedTokens);
      if (used < fraction * roomTokens) return NO_TRIGGER;
      const reason = `${used} tokens are ${Math.round((100 * used) / roomTokens)} % of ${roomTokens}`;
      return { level: used > roomTokens ? "hard" : "soft", reason };
    },
  };
}
