import { type ContextCompactionConfig, ThreadfoldError } from "@threadfold/core";
import type { CompactionPreset, CompactionStrategy, CompactionTrigger, TriggerDecision } from "@threadfold/strategies";
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

/** Wraps a trigger, which may be the host's own: its decisions are checked, and the error of one that fails names it. */
export const checkedTrigger = (trigger: CompactionTrigger): CompactionTrigger => ({
  get name() {
    return trigger.name;
  },
  evaluate(input) {
    try {
      const decision: Partial<TriggerDecision> | undefined = trigger.evaluate(input);
      if (isDecision(decision)) return decision;
    } catch (cause) {
      throw partFailed(`The trigger ${trigger.name}`, cause);
    }
    throw partFailed(`The trigger ${trigger.name}`, "it returned no decision whose level is none, soft or hard");
  },
});

const LEVELS: readonly unknown[] = ["none", "soft", "hard"] satisfies TriggerDecision["level"][];

const isDecision = (value: Partial<TriggerDecision> | undefined): value is TriggerDecision =>
  LEVELS.includes(value?.level);

/** The most that is quoted of what a part threw, in UTF-16 code units. */
const QUOTED = 300;

/**
 * Makes the error of a trigger or a strategy that failed. It says what was thrown, unlike `problemOf`: these parts see
 * figures and headers only, so that their errors can quote no message. Typed errors are returned as they are.
 *
 * @param part the part, as the error names it: `The strategy own`.
 */
export function partFailed(part: string, cause: unknown): ThreadfoldError {
  if (ThreadfoldError.isInstance(cause)) return cause;
  const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new ThreadfoldError("INVALID_CONFIG", `${part} failed: ${said.slice(0, QUOTED)}.`, {
    cause,
    details: { part },
    hint: "Correct it, or leave it out of the preset. `strategyLaws` tries strategies.",
  });
}
