import type { ContextCompactionConfig } from "@threadfold/core";
import type { CompactionStrategy } from "../ladder/compaction-strategy.ts";
import type { CompactionTrigger } from "../triggers/compaction-trigger.ts";

/** A whole policy under one name: when to fold, in which order, and with which figures. */
export interface CompactionPreset {
  readonly name: string;
  readonly description: string;
  readonly ladder: readonly CompactionStrategy[];
  /** Figures that the preset sets; the caller's own come on top. */
  readonly config: Partial<ContextCompactionConfig>;
  readonly trigger: (config: ContextCompactionConfig) => CompactionTrigger;
}
