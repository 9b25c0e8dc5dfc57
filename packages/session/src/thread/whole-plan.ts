import { type CompactionPlan, hiddenRuns, ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";

/** A plan with all ids. @throws ThreadfoldError `PLAN_NOT_FOUND` when the store does not have it any more. */
export async function wholePlan(store: Pick<ThreadfoldStore, "plans">, plan: CompactionPlan): Promise<CompactionPlan> {
  if (hiddenRuns(plan).length === 0) return plan;
  const whole = await store.plans.getPlan(plan.threadId, plan.version);
  if (whole?.planId === plan.planId) return whole;
  throw new ThreadfoldError(
    "PLAN_NOT_FOUND",
    `The store has no plan ${plan.version} of thread ${plan.threadId} any more.`,
  );
}
