import type { CompactionPlan, PlanInfo } from "@threadfold/core";

/** A plan without its records. */
export function planInfo(plan: CompactionPlan): PlanInfo {
  const { planId, version, threadVersion, createdAt, originalTokens, compactedTokens } = plan;
  return Object.freeze({ planId, version, threadVersion, createdAt, originalTokens, compactedTokens });
}
