import { compactionConfig, roomTokens } from "@threadfold/core";
import type { CompactionPreset, TriggerDecision, TriggerInput } from "@threadfold/strategies";

/** Returns the level at which a preset's trigger fires for a window. For tests. */
export function triggerLevel(
  preset: CompactionPreset,
  maxInputTokens: number,
  input: Partial<TriggerInput>,
): TriggerDecision["level"] {
  const config = compactionConfig({ ...preset.config, maxInputTokens });
  const quiet = { tokens: 0, roomTokens: roomTokens(config), turns: 1, steps: 1, messages: 100 };
  return preset.trigger(config).evaluate({ ...quiet, ...input }).level;
}
