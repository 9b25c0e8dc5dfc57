import type {
  CompactionOutcome,
  CompactionPlan,
  InstructionsEffect,
  MessageId,
  NormalizationChange,
  TokensBeforeAfter,
} from "@threadfold/core";

/** The figures of one attempt whose plan was rendered. */
export interface AttemptTrace {
  readonly attempt: string;
  readonly tokens: number;
  readonly violations: number;
  readonly missingPins: number;
}

/** A plan that fits, is legal and contains every pin, but is not committed yet. */
export interface FoldReady {
  readonly type: "ready";
  readonly plan: CompactionPlan;
  readonly tokens: TokensBeforeAfter;
  /** Name of the attempt that was chosen. */
  readonly attempt: string;
  readonly floor: boolean;
  /** Why the summarizer failed, if a summary made without it was used. */
  readonly summarizerProblem: string | null;
  /** Whether the fold's instructions had an effect; null when it was given none. */
  readonly instructions: InstructionsEffect | null;
  readonly changes: readonly NormalizationChange[];
  /** Messages whose bodies the artifact store did not accept, so that they were not externalized (S40). */
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
