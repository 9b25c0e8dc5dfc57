import type { ContextCompactionConfig } from "@threadfold/core";
import type { CompactionStrategy } from "../ladder/compaction-strategy.ts";
import type { CompactionTrigger } from "../triggers/compaction-trigger.ts";

/** A whole policy under one name: when to fold, in which order, with which figures, and how a summary is asked for and shown. */
export interface CompactionPreset {
  readonly name: string;
  readonly description: string;
  readonly ladder: readonly CompactionStrategy[];
  /** Figures that the preset sets, and the role of its summaries and the words around them; the caller's own come on top. */
  readonly config: Partial<ContextCompactionConfig>;
  readonly trigger: (config: ContextCompactionConfig) => CompactionTrigger;
  /** The figures of its trigger and ladder that no configuration holds, under the names that its seed gives them. */
  readonly figures: Readonly<Record<string, number>>;
  /**
   * Names the prompt that a summarizer with a model sends (`promptByVersion` of the summarizers): the seed's own for a preset
   * of another system, which takes the text that comes, and Threadfold's for notes.
   */
  readonly promptVersion: string;
}
