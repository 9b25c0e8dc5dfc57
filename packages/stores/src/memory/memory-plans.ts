import {
  type CommitResult,
  type CompactionPlan,
  type CompactionStore,
  type MessageId,
  type PlanInfo,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { admitPlan, requireKnownMessages } from "../rules/admit-plan.ts";
import { planInfo } from "../rules/plan-info.ts";
import type { MemoryState, MemoryThread } from "./memory-state.ts";

/** Plans in memory. */
export class MemoryPlans implements CompactionStore {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async getCurrentPlan(
    threadId: ThreadId,
  ): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }> {
    const plans = this.#state.threads.get(threadId)?.plans ?? [];
    return Object.freeze({ plan: plans.at(-1) ?? null, version: plans.length });
  }

  async getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    return this.#state.threads.get(threadId)?.plans[version - 1] ?? null;
  }

  async listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]> {
    const kept = this.#state.threads.get(threadId);
    const erased = kept?.erased?.plans.map(({ body: _body, ...info }) => Object.freeze(info));
    return Object.freeze(erased ?? (kept?.plans ?? []).map(planInfo));
  }

  async commitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): Promise<CommitResult> {
    const plan = admitPlan(threadId, candidate, expectedVersion);
    const kept = this.#state.threads.get(threadId);
    if (kept === undefined || kept.thread.version === 0) {
      throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to commit a plan to.`);
    }
    if (kept.plans[expectedVersion]?.planId === plan.planId)
      return Object.freeze({ status: "committed", version: plan.version });
    if (kept.plans.length !== expectedVersion)
      return Object.freeze({ status: "conflict", currentVersion: kept.plans.length });
    requireKnownMessages(plan, kept.thread.version, arrivals(kept, plan));
    kept.plans.push(plan);
    kept.committedAt = this.#state.clock.now();
    return Object.freeze({ status: "committed", version: plan.version });
  }
}

/** Says at which version messages came in: those that the plan's thread version holds came early enough. */
function arrivals({ thread }: MemoryThread, plan: CompactionPlan): (id: MessageId) => number | undefined {
  const covered = thread.atVersion(plan.threadVersion);
  return (id) => (covered.message(id) === undefined ? undefined : plan.threadVersion);
}
