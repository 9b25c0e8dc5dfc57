import type { TokenBreakdown } from "../budget/token-breakdown.ts";
import type { PinId } from "../model/ids.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";
import type { LegalityViolation } from "../plan/legality-violation.ts";

/** What a plan comes to when it is rendered for real. */
export interface PlanVerification {
  /** Tokens of the whole counted request. */
  readonly tokens: number;
  readonly breakdown: TokenBreakdown;
  readonly violations: readonly LegalityViolation[];
  /** Live pins whose text the request lacks. */
  readonly missingPins: readonly PinId[];
}

/** Renders plans for the request at hand, so that nothing is committed on an estimate. Pure; nothing is sent. */
export interface PlanVerifier {
  /** Tokens of the counted request under a plan, without the provider's payload being made. */
  measure(plan: CompactionPlan): number;
  /** Renders, lowers and checks. */
  verify(plan: CompactionPlan): PlanVerification;
}
