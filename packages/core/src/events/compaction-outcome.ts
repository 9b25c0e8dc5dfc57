import type { IndispensableTokens } from "../errors/budget-infeasible-error.ts";
import type { PinId } from "../model/ids.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";
import type { LegalityViolation } from "../plan/legality-violation.ts";

/** Tokens of the counted request before and after an attempt. Equal when nothing was changed. */
export interface TokensBeforeAfter {
  readonly before: number;
  readonly after: number;
}

/**
 * What the instructions of a fold did: `used`, a summarizer took them into account; `no-effect`, the fold wrote no summary,
 * or nothing that it found had to do with them.
 */
export type InstructionsEffect = "used" | "no-effect";

/** How an attempt to fold ended. Every attempt ends in exactly one of these; none of them throws. */
export type CompactionOutcome =
  | {
      readonly type: "committed";
      readonly plan: CompactionPlan;
      readonly tokens: TokensBeforeAfter;
      /** True when the preset's own ladder did not get there, and the deterministic floor was folded instead. */
      readonly floor: boolean;
      /** Why the fold before this one came to nothing, when the floor was folded because the request was over its budget. */
      readonly problem?: string;
      /** Absent when the fold was given no instructions. */
      readonly instructions?: InstructionsEffect;
    }
  | {
      readonly type: "summarizer-failed-floor-used";
      readonly plan: CompactionPlan;
      readonly tokens: TokensBeforeAfter;
      readonly problem: string;
      /** Absent when the fold was given no instructions. */
      readonly instructions?: InstructionsEffect;
    }
  | { readonly type: "no-op"; readonly reason: string; readonly tokens: TokensBeforeAfter }
  | { readonly type: "postponed"; readonly reason: string; readonly tokens: TokensBeforeAfter }
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
  | { readonly type: "conflict"; readonly currentVersion: number; readonly tokens: TokensBeforeAfter }
  | { readonly type: "aborted"; readonly tokens: TokensBeforeAfter }
  /** Folding is switched off, by an option or by the environment: the plan that there is holds, and the thread is not folded any further. */
  | { readonly type: "disabled"; readonly reason: string; readonly tokens: TokensBeforeAfter }
  /** A hook of the host said no. */
  | { readonly type: "vetoed"; readonly hook: string; readonly reason: string; readonly tokens: TokensBeforeAfter }
  /** A store or another port failed. The plan before holds. */
  | {
      readonly type: "failed";
      /** Names the failure without quoting foreign text: the message of a Threadfold error, the name of any other. */
      readonly problem: string;
      /** What was thrown, for whoever debugs. It may quote content, so it belongs into no log. */
      readonly cause: unknown;
      readonly tokens: TokensBeforeAfter;
    }
  | {
      readonly type: "infeasible";
      readonly budget: number;
      readonly required: number;
      readonly indispensable: IndispensableTokens;
      readonly tokens: TokensBeforeAfter;
    };
