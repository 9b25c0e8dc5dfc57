import { ThreadfoldError } from "@threadfold/core";
import { type CompactionTrigger, isOverLimit, NO_TRIGGER, type TriggerInput } from "./compaction-trigger.ts";

/** Fires when the request takes at least this many tokens (S1: at the threshold it fires). */
export const tokenCountTrigger = (threshold: number): CompactionTrigger =>
  countTrigger(
    "token-count",
    threshold,
    ({ tokens }) => tokens >= threshold,
    ({ tokens }) => `${tokens} tokens`,
  );

/**
 * Fires when the messages of the request take at least this many tokens, not counting system text and tools (Spring AI
 * Session's `TokenCountTrigger`).
 */
export const messageTokensTrigger = (threshold: number): CompactionTrigger =>
  countTrigger(
    "message-tokens",
    threshold,
    ({ tokens, overheadTokens = 0 }) => tokens - overheadTokens >= threshold,
    ({ tokens, overheadTokens = 0 }) => `${tokens - overheadTokens} tokens of messages`,
  );

/** Fires when the thread has more than this many turns (S1: at the threshold it does not). */
export const turnCountTrigger = (threshold: number): CompactionTrigger =>
  countTrigger(
    "turn-count",
    threshold,
    ({ turns }) => turns > threshold,
    ({ turns }) => `${turns} turns`,
  );

/** Fires when the thread has more than this many model calls. */
export const stepCountTrigger = (threshold: number): CompactionTrigger =>
  countTrigger(
    "step-count",
    threshold,
    ({ steps }) => steps > threshold,
    ({ steps }) => `${steps} steps`,
  );

/** Fires when the thread has more than this many messages. */
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
      const level = isOverLimit(input) ? "hard" : "soft";
      return { level, reason: `${describe(input)} reach the threshold of ${threshold}` };
    },
  };
}

/**
 * Fires when the prompt shows more than this many messages: folded messages do not count again. When it is not known
 * how many are shown, all messages of the thread count.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the threshold is negative.
 */
export function shownMessageCountTrigger(threshold: number): CompactionTrigger {
  const { name, evaluate } = messageCountTrigger(threshold);
  return {
    name: `shown-${name}`,
    // Properties are read one by one: those that other triggers use may cost a walk over the thread.
    evaluate: ({ tokens, roomTokens, limitTokens = roomTokens, turns, steps, messages, shownMessages = messages }) =>
      evaluate({ tokens, roomTokens, limitTokens, turns, steps, messages: shownMessages }),
  };
}

/**
 * Fires when the prompt shows more than `threshold` turns (Spring AI Session's `TurnCountTrigger`): archived turns do
 * not count again. When it is not known how many turns are shown, all turns of the thread count.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the threshold is negative.
 */
export function shownTurnCountTrigger(threshold: number): CompactionTrigger {
  const { name, evaluate } = turnCountTrigger(threshold);
  return { name: `shown-${name}`, evaluate: (input) => evaluate({ ...input, turns: input.shownTurns ?? input.turns }) };
}
