import type { ContextCompactionConfig } from "@threadfold/core";
import type { CompactionPreset, CompactionStrategy, CompactionTrigger } from "@threadfold/strategies";
import type { FrameFields } from "../measure/request-frame.ts";

/** What a manual or automatic fold may be told. */
export interface CompactOptions {
  /** System text and tools to measure with, field by field; those of the newest request when it is left out. */
  readonly frame?: FrameFields;
  /** True to fold although no trigger fires, and to take any plan that frees something. */
  readonly force?: boolean;
  /** What the summary should keep in mind, in the words of whoever asks for it (`/compact focus on …`). */
  readonly instructions?: string;
  /** Decides about this call in the place of the preset's trigger: when it fires, the fold is made. */
  readonly trigger?: CompactionTrigger;
  /**
   * Folds in this call in the place of the preset's ladder, without a target or a share that has to be freed: what it
   * proposes is done.
   */
  readonly strategy?: CompactionStrategy;
  /** Ends the fold. Nothing is committed then. */
  readonly signal?: AbortSignal;
}

/** True for a fold that somebody decided on: by asking for it, or with a trigger or strategy of the call's own. */
export const isAsked = ({ force, trigger, strategy }: CompactOptions): boolean =>
  force === true || trigger !== undefined || strategy !== undefined;

/** The policy and figures of a call: the session's, with the call's own trigger and strategy. */
export function policyOfCall(
  preset: CompactionPreset,
  config: ContextCompactionConfig,
  { trigger, strategy }: CompactOptions,
): { readonly preset: CompactionPreset; readonly config: ContextCompactionConfig } {
  if (trigger === undefined && strategy === undefined) return { preset, config };
  return {
    preset: {
      ...preset,
      ...(trigger !== undefined && { trigger: () => atOnce(trigger) }),
      ...(strategy !== undefined && { ladder: [strategy] }),
    },
    config:
      strategy === undefined ? config : { ...config, targetPercent: 0, minReclaimPercent: 0, preserveRecentTurns: 0 },
  };
}

/** A trigger that is not weighed and not postponed: who hands one in wants the fold when it fires. */
const atOnce = (trigger: CompactionTrigger): CompactionTrigger => ({
  name: trigger.name,
  evaluate(input) {
    const decision = trigger.evaluate(input);
    return decision.level === "none" ? decision : { ...decision, level: "hard" };
  },
});
