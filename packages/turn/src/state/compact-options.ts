import type { ContextCompactionConfig } from "@threadfold/core";
import {
  type CompactionPreset,
  type CompactionStrategy,
  type CompactionTrigger,
  checkedTrigger,
} from "@threadfold/strategies";
import type { FrameFields } from "../measure/request-frame.ts";

/** Options of a manual or automatic fold. */
export interface CompactOptions {
  /** System text and tools to measure with, overridden field by field; those of the newest request when omitted. */
  readonly frame?: FrameFields;
  /** True to fold even if no trigger fires, and to accept any plan that frees something. */
  readonly force?: boolean;
  /** What the summary should pay attention to, in the caller's words (`/compact focus on …`). */
  readonly instructions?: string;
  /** Replaces the preset's trigger for this call: when it fires, the fold is made. */
  readonly trigger?: CompactionTrigger;
  /**
   * Replaces the preset's ladder for this call, without a target or a minimum share to free: everything that it
   * proposes is done.
   */
  readonly strategy?: CompactionStrategy;
  /** Aborts the fold; nothing is committed then. */
  readonly signal?: AbortSignal;
}

/** Checks whether the caller explicitly asked for a fold: with `force`, or with a trigger or strategy for the call. */
export const isAsked = ({ force, trigger, strategy }: CompactOptions): boolean =>
  force === true || trigger !== undefined || strategy !== undefined;

/** Returns the preset and configuration of a call: the session's, with the call's own trigger and strategy. */
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

/**
 * Makes a trigger's fold hard, so that it is neither weighed nor postponed: a caller's own trigger should fold when it
 * fires.
 */
const atOnce = (trigger: CompactionTrigger): CompactionTrigger => ({
  name: trigger.name,
  evaluate(input) {
    const decision = checkedTrigger(trigger).evaluate(input);
    return decision.level === "none" ? decision : { ...decision, level: "hard" };
  },
});
