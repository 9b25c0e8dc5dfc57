import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";
import { refuseShare } from "./refuse-share.ts";

/**
 * Fires when the prompt that the provider counted takes at least this share of the room. Silent without a report: a figure
 * that was measured under another plan is none (L17), and neither is that of a request that failed (L18).
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function reportedUsageTrigger(fraction: number): CompactionTrigger {
  refuseShare("reported-usage", fraction);
  return {
    name: `reported-usage ${fraction}`,
    evaluate({ reportedTokens, roomTokens }) {
      if (reportedTokens === undefined || reportedTokens < fraction * roomTokens) return NO_TRIGGER;
      const reason = `the provider counted ${reportedTokens} tokens, ${Math.round((100 * reportedTokens) / roomTokens)} % of ${roomTokens}`;
      return { level: reportedTokens > roomTokens ? "hard" : "soft", reason };
    },
  };
}
