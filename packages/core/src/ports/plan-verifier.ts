import type { LegalityViolation } from "../events/compaction-outcome.ts";
import type { PinId } from "../model/ids.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";

/** Renders plans for the current request, so that nothing is committed on an estimate. Pure; nothing is sent. */
export interface PlanVerifier {
  /** Counts the tokens of the request under a plan without making the provider's payload. */
  measure(plan: CompactionPlan): number;
  /** Renders the request under a plan, lowers it to the provider's payload and checks it. */
  verify(plan: CompactionPlan): PlanVerification;
}

/** The result of actually rendering a plan. */
export interface PlanVerification {
  /** Tokens of the whole counted request. */
  readonly tokens: number;
  readonly breakdown: TokenBreakdown;
  readonly violations: readonly LegalityViolation[];
  /** Live pins whose text is missing from the request. */
  readonly missingPins: readonly PinId[];
}

/** What the tokens of a request are spent on. The figures add up to the whole request. */
export interface TokenBreakdown {
  readonly system: number;
  readonly tools: number;
  /** Pins rendered separately from their source. */
  readonly pins: number;
  readonly summaries: number;
  /** Pointers to externalized content and placeholders of cleared content. */
  readonly pointers: number;
  /** Messages kept unchanged. */
  readonly kept: number;
  readonly rehydrated: number;
  /** The provider's own wrapping, and synthetic messages that its rules require. */
  readonly overhead: number;
}
