import { ThreadfoldError } from "@threadfold/core";
import { type CompactionTrigger, checkedTrigger, NO_TRIGGER, refuseShare } from "./compaction-trigger.ts";

/** Fires hard when a person or the host asked for a fold. */
export const manualTrigger: CompactionTrigger = {
  name: "manual",
  evaluate: ({ requested }) => (requested === true ? { level: "hard", reason: "a fold was asked for" } : NO_TRIGGER),
};

/** Fires hard after the provider refused a request because it was too long. */
export const overflowTrigger: CompactionTrigger = {
  name: "overflow",
  evaluate: ({ overflowed }) =>
    overflowed === true ? { level: "hard", reason: "the provider refused the last request as too long" } : NO_TRIGGER,
};

/**
 * Fires hard after an answer was cut off at the output limit, if the request takes at least this share of the room:
 * prompt and answer then compete for one window. Below that share the output limit itself is too small, and folding
 * gains nothing.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the share is more than 0 and at most 1.
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
 * Wraps a trigger so that it fires hard instead of softly after an answer was cut off at the output limit. A fold that
 * is due anyway cannot wait when prompt and answer compete for one window (Goat).
 */
export const hardAfterCutOff = (trigger: CompactionTrigger): CompactionTrigger => ({
  get name() {
    return `${trigger.name}, hard after a cut-off`;
  },
  evaluate(input) {
    const decision = checkedTrigger(trigger).evaluate(input);
    return decision.level === "soft" && input.stoppedAtMaxOutput === true ? { ...decision, level: "hard" } : decision;
  },
});

/**
 * Fires softly when nothing was sent for this many seconds and the request takes at least this share of the room:
 * nobody waits for the fold.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the seconds are negative or the share is not more than 0 and at most 1.
 */
export function idleTrigger(seconds: number, fraction: number): CompactionTrigger {
  refuseShare("idle", fraction);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new ThreadfoldError("INVALID_CONFIG", `The idle time is ${seconds} seconds; it must be at least 0.`);
  return {
    name: `idle ${seconds} s ${fraction}`,
    evaluate: ({ idleSeconds = 0, tokens, roomTokens }) =>
      idleSeconds >= seconds && idleSeconds > 0 && tokens >= fraction * roomTokens
        ? { level: "soft", reason: `nothing was sent for ${Math.floor(idleSeconds)} seconds` }
        : NO_TRIGGER,
  };
}

/**
 * Fires softly when the provider's prompt cache has gone cold and the request takes at least this share of the room:
 * the whole prompt has to be written anew anyway, so a smaller one costs less at once.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the share is more than 0 and at most 1.
 */
export function coldCacheTrigger(fraction: number): CompactionTrigger {
  refuseShare("cold-cache", fraction);
  return {
    name: `cold-cache ${fraction}`,
    evaluate: ({ cacheIsCold, tokens, roomTokens }) =>
      cacheIsCold === true && tokens >= fraction * roomTokens
        ? { level: "soft", reason: "the provider's prompt cache has gone cold" }
        : NO_TRIGGER,
  };
}
