import type { CompactionTrigger } from "../triggers/compaction-trigger.ts";
import { messageCountTrigger } from "../triggers/count-triggers.ts";

/**
 * Fires when the prompt shows more than so many messages: those that were folded do not count again. Where nobody says how
 * many are shown, those of the whole thread count.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the threshold is negative.
 */
export function shownMessageCountTrigger(threshold: number): CompactionTrigger {
  const { name, evaluate } = messageCountTrigger(threshold);
  return {
    name: `shown-${name}`,
    // Named one by one: what other triggers read may cost a walk of the thread.
    evaluate: ({ tokens, roomTokens, turns, steps, messages, shownMessages = messages }) =>
      evaluate({ tokens, roomTokens, turns, steps, messages: shownMessages }),
  };
}
