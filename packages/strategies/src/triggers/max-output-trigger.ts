import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";
import { refuseShare } from "./refuse-share.ts";

/**
 * Fires hard after an answer that was cut off at the output limit, when the request took at least this share of the room:
 * then prompt and answer compete for one window. Below it the output limit alone is too small, and folding gains nothing.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function maxOutputTrigger(fraction = 0.5): CompactionTrigger {
  refuseShare("max-output", fraction);
  return {
    name: `max-output ${fraction}`,
    evaluate: ({ stoppedAtMaxOutput, tokens, reportedTokens = 0, roomTokens }) =>
      stoppedAtMaxOutput === true && Math.max(tokens, reportedTokens) >= fraction * roomTokens
        ? { level: "hard", reason: "the last answer was cut off at the output limit" }
        : NO_TRIGGER,
  };
}

/**
 * A trigger that is hard after an answer that was cut off at the output limit, and as it is otherwise: what is due anyway is
 * due at once when prompt and answer compete for one window (seed 000).
 */
export const hardAfterCutOff = (trigger: CompactionTrigger): CompactionTrigger => ({
  name: `${trigger.name}, hard after a cut-off`,
  evaluate(input) {
    const decision = trigger.evaluate(input);
    return decision.level === "soft" && input.stoppedAtMaxOutput === true ? { ...decision, level: "hard" } : decision;
  },
});
