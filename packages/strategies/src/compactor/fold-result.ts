import type {
  CompactionPlan,
  IndispensableTokens,
  LegalityViolation,
  NormalizationChange,
  PinId,
  TokensBeforeAfter,
} from "@threadfold/core";

/** What one attempt came to when it was rendered. */
export interface AttemptTrace {
  readonly attempt: string;
  readonly tokens: number;
  readonly violations: number;
  readonly missingPins: number;
}

/** How a fold ended before anything is committed. */
export type FoldResult =
  | {
      readonly type: "ready";
      readonly plan: CompactionPlan;
      readonly tokens: TokensBeforeAfter;
      /** Name of the attempt that was taken. */
      readonly attempt: string;
      readonly floor: boolean;
      /** What the summarizer's failure was, when a summary without it took its place. */
      readonly summarizerProblem: string | null;
      readonly changes: readonly NormalizationChange[];
      /** Every attempt that was rendered, in order. */
      readonly attempts: readonly AttemptTrace[];
    }
  | { readonly type: "no-op"; readonly reason: string; readonly tokens: TokensBeforeAfter }
  | {
      readonly type: "ineffective";
      readonly freed: number;
      readonly required: number;
      readonly tokens: TokensBeforeAfter;
    }
  | { readonly type: "inflated"; readonly tokens: TokensBeforeAfter }
  | {
      readonly type: "refused";
      readonly violations: readonly LegalityViolation[];
      readonly missingPins: readonly PinId[];
      readonly tokens: TokensBeforeAfter;
    }
  | { readonly type: "aborted"; readonly tokens: TokensBeforeAfter }
  | {
      readonly type: "infeasible";
      readonly budget: number;
      readonly required: number;
      readonly indispensable: IndispensableTokens;
      readonly tokens: TokensBeforeAfter;
    };
