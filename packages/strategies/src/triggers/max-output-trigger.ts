import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";
import { refuseShare } from "./refuse-share.ts";

/**
 * Fires hard after an answer that was cut off at the output limit, when the request took at least this share of the cap:
 * then prompt and answer compete for one window. Below it the output limit alone is too small, and folding gains nothing.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function maxOutputTrigger(fraction = 0.5): CompactionTrigger {
  refuseShare("max-output", fraction);
  return {
    name: `max-output ${fraction}`,
    evaluate: ({ stoppedAtMaxOutput, tokens, reportedTokens = 0, maxInputTokens }) =>
      stoppedAtMaxOutput === true && Math.max(tokens, reportedTokens) >= fraction * maxInputTokens
        ? { level: "hard", reason: "the last answer was cut off at the output limit" }
        : NO_TRIGGER,
  };
}
