import { ThreadfoldError } from "@threadfold/core";
import { type CompactionTrigger, NO_TRIGGER, type TriggerInput } from "./compaction-trigger.ts";

/** Fires when the request takes at least so many tokens (S1: at the threshold it fires). */
export const tokenCountTrigger = (threshold: number): CompactionTrigger =>
  countTrigger(
    "token-count",
    threshold,
    ({ tokens }) => tokens >= threshold,
    ({ tokens }) => `${tokens} tokens`,
  );

/** Fires when the thread has more than so many turns (S1: at the threshold it does not). */
export const turnCountTrigger = (threshold: number): CompactionTrigger =>
  countTrigger(
    "turn-count",
    threshold,
    ({ turns }) => turns > threshold,
    ({ turns }) => `${turns} turns`,
  );

/** Fires when the thread has more than so many model calls. */
export const stepCountTrigger = (threshold: number): CompactionTrigger =>
  countTrigger(
    "step-count",
    threshold,
    ({ steps }) => steps > threshold,
    ({ steps }) => `${steps} steps`,
  );

/** Fires when the thread has more than so many messages. */
export const messageCountTrigger = (threshold: number): CompactionTrigger =>
  countTrigger(
    "message-count",
    threshold,
    ({ messages }) => messages > threshold,
    ({ messages }) => `${messages} messages`,
  );

function countTrigger(
  name: string,
  threshold: number,
  fires: (input: TriggerInput) => boolean,
  describe: (input: TriggerInput) => string,
): CompactionTrigger {
  if (!Number.isFinite(threshold) || threshold < 0) {
    throw new ThreadfoldError("INVALID_CONFIG", `The threshold of ${name} is ${threshold}; it must be at least 0.`);
  }
  return {
    name: `${name} ${threshold}`,
    evaluate(input) {
      if (!fires(input)) return NO_TRIGGER;
      const hard = input.tokens > input.roomTokens;
      return { level: hard ? "hard" : "soft", reason: `${describe(input)} reach the threshold of ${threshold}` };
    },
  };
}
