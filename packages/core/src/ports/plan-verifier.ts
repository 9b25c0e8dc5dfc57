import type { LegalityViolation } from "../events/compaction-outcome.ts";
import type { PinId } from "../model/ids.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";

/** Renders plans for the request at hand, so that nothing is committed on an estimate. Pure; nothing is sent. */
export interface PlanVerifier {
  /** Tokens of the counted request under a plan, without the provider's payload being made. */
  measure(plan: CompactionPlan): number;
  /** Renders, lowers and checks. */
  verify(plan: CompactionPlan): PlanVerification;
}

/** What rendering a plan for real shows about it. */
export interface PlanVerification {
  /** Tokens of the whole counted request. */
  readonly tokens: number;
  readonly breakdown: TokenBreakdown;
  readonly violations: readonly LegalityViolation[];
  /** Live pins whose text the request lacks. */
  readonly missingPins: readonly PinId[];
}

/** What takes the room in a request, in tokens. The shares add up to the request. */
export interface TokenBreakdown {
  readonly system: number;
  readonly tools: number;
  /** Pins rendered apart from their source. */
  readonly pins: number;
  readonly summaries: number;
  /** Pointers to externalized content and placeholders of cleared content. */
  readonly pointers: number;
  /** Messages kept as they are. */
  readonly kept: number;
  readonly rehydrated: number;
  /** What the provider wraps around a request, and synthetic messages that its rules ask for. */
  readonly overhead: number;
}
