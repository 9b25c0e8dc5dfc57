import type { ContextCompactionConfig } from "@threadfold/core";
import type { CompactionTrigger } from "../triggers/compaction-trigger.ts";
import { tokenCountTrigger } from "../triggers/count-triggers.ts";
import { manualTrigger } from "../triggers/manual-trigger.ts";
import { overflowTrigger } from "../triggers/overflow-trigger.ts";

/**
 * What makes every preset fold, whatever its seed says of its own trigger: somebody asks for it, the request is above the
 * cap, or the provider refused it as too long (P3).
 */
export function lastResort(config: ContextCompactionConfig): readonly CompactionTrigger[] {
  return [tokenCountTrigger(config.maxInputTokens + 1), overflowTrigger, manualTrigger];
}

/**
 * A threshold that some seed derives from the window by taking reserves off, in tokens; never less than half of the cap.
 * The reserves are made for large windows, and in a small one nothing would be left.
 */
export function aboveReserves(threshold: number, { maxInputTokens }: ContextCompactionConfig): number {
  return Math.max(threshold, Math.ceil(maxInputTokens / 2));
}
