import type { CompactionTrigger } from "../triggers/compaction-trigger.ts";
import { turnCountTrigger } from "../triggers/count-triggers.ts";

/**
 * Fires when the prompt shows more than so many turns (seed 004, `TurnCountTrigger`): archived turns do not count again.
 * Where nobody says how many turns are shown, those of the whole thread count.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the threshold is negative.
 */
export function shownTurnCountTrigger(threshold: number): CompactionTrigger {
  const { name, evaluate } = turnCountTrigger(threshold);
  return { name: `shown-${name}`, evaluate: (input) => evaluate({ ...input, turns: input.shownTurns ?? input.turns }) };
}
