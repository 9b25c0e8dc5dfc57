import type { PinId } from "../model/ids.ts";
import type { LegalityViolation } from "../plan/legality-violation.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";
import type { TokenBreakdown } from "../budget/token-breakdown.ts";

/** What a plan comes to when it is rendered for real. */
export interface PlanVerification {
  /** Tokens of the whole counted request. */
  readonly tokens: number;
  readonly breakdown: TokenBreakdown;
  readonly violations: readonly LegalityViolation[];
  /** Live pins whose text the request lacks. */
  readonly missingPins: readonly PinId[];
}

/** Renders a plan for the request at hand and says whether it may be committed. Rendering is pure; nothing is sent. */
export type PlanVerifier = (plan: CompactionPlan) => PlanVerification;
