import type {
  CompactionOutcome,
  CompactionPlan,
  InstructionsEffect,
  MessageId,
  NormalizationChange,
  TokensBeforeAfter,
} from "@threadfold/core";

/** The result of one attempt when it was rendered. */
export interface AttemptTrace {
  readonly attempt: string;
  readonly tokens: number;
  readonly violations: number;
  readonly missingPins: number;
}

/** A plan that fits, is legal and holds every pin, and that nothing has committed yet. */
export interface FoldReady {
  readonly type: "ready";
  readonly plan: CompactionPlan;
  readonly tokens: TokensBeforeAfter;
  /** Name of the attempt that was taken. */
  readonly attempt: string;
  readonly floor: boolean;
  /** What the summarizer's failure was, when a summary without it took its place. */
  readonly summarizerProblem: string | null;
  /** What the fold's instructions did; null when it was given none. */
  readonly instructions: InstructionsEffect | null;
  readonly changes: readonly NormalizationChange[];
  /** Messages whose bodies the artifact store did not take, so that they were not externalized (S40). */
  readonly notStored?: readonly MessageId[];
  /** Every attempt that was rendered, in order. */
  readonly attempts: readonly AttemptTrace[];
}

/** How a fold ended before anything is committed: a plan, or one of the outcomes that need no commit. */
export type FoldResult =
  | FoldReady
  | Extract<
      CompactionOutcome,
      { readonly type: "no-op" | "ineffective" | "inflated" | "refused" | "aborted" | "infeasible" }
    >;
