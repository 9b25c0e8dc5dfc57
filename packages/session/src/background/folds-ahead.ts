import { anyOf, type CompactionPreset, tokenFractionTrigger } from "@threadfold/strategies";

/** A preset that also fires from a lower share of the room on: what a worker folds by, and a session asks a worker by. */
export function foldsAhead(preset: CompactionPreset, softThreshold: number): CompactionPreset {
  return {
    ...preset,
    trigger: (config) =>
      anyOf(preset.trigger(config), tokenFractionTrigger(Math.min(softThreshold, config.softThresholdPercent))),
  };
}
