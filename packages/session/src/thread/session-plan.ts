import { type CompactionPlan, hiddenRuns, ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";

/** The plan that a session's requests are rendered with, as far as the session knows. */
export class SessionPlan {
  readonly #store: Pick<ThreadfoldStore, "plans">;
  #current: CompactionPlan;

  constructor(store: Pick<ThreadfoldStore, "plans">, current: CompactionPlan) {
    this.#store = store;
    this.#current = current;
  }

  get current(): CompactionPlan {
    return this.#current;
  }

  /** Continues with a plan: one that was committed here, or that the thread was resumed with again. */
  take(plan: CompactionPlan): void {
    this.#current = plan;
  }

  /**
   * Takes over a newer plan if another writer committed one, and returns the current plan. @throws what the store
   * throws.
   */
  async refresh(): Promise<CompactionPlan> {
    const { plan } = await this.#store.plans.getCurrentPlan(this.#current.threadId);
    if (plan !== null && plan.version > this.#current.version) this.#current = plan;
    return this.#current;
  }

  /** Returns the plan with all of its ids, without changing the current one. @throws as {@link wholePlan} does. */
  whole(): Promise<CompactionPlan> {
    return wholePlan(this.#store, this.#current);
  }

  /** Loads the ids of the plan into memory. @throws as {@link whole} does. */
  async load(): Promise<void> {
    const before = this.#current;
    const whole = await this.whole();
    if (this.#current === before) this.#current = whole;
  }
}

/** Returns a plan with all ids. @throws ThreadfoldError `PLAN_NOT_FOUND` when the store no longer has it. */
async function wholePlan(store: Pick<ThreadfoldStore, "plans">, plan: CompactionPlan): Promise<CompactionPlan> {
  if (hiddenRuns(plan).length === 0) return plan;
  const whole = await store.plans.getPlan(plan.threadId, plan.version);
  if (whole?.planId === plan.planId) return whole;
  throw new ThreadfoldError(
    "PLAN_NOT_FOUND",
    `The store no longer has plan ${plan.version} of thread ${plan.threadId}.`,
  );
}
