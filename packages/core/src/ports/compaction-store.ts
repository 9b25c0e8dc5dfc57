import type { ThreadId } from "../model/ids.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";

/** What became of a commit. A conflict is a value: the loser loads the current plan and folds again. */
export type CommitResult =
  | { readonly status: "committed"; readonly version: number }
  | { readonly status: "conflict"; readonly currentVersion: number };

/** What a store says of a plan without its records. */
export interface PlanInfo {
  readonly planId: string;
  readonly version: number;
  readonly threadVersion: number;
  readonly createdAt: string;
  readonly originalTokens: number;
  readonly compactedTokens: number;
}

/** Keeps plans. Committed plans never change, and the version counter never restarts. */
export interface CompactionStore {
  /** The newest plan and its version; no plan and version 0 for a thread that was never folded (seed 002). */
  getCurrentPlan(threadId: ThreadId): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }>;
  /** The version alone, for who asks often and reads the plan once there is a newer one. Where it is absent, ask for the plan. */
  getCurrentVersion?(threadId: ThreadId): Promise<number>;
  /** A plan by its version, or null. */
  getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null>;
  /** Every plan of a thread, oldest first. */
  listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]>;
  /**
   * Commits a plan of version `expectedVersion + 1` when the current version is `expectedVersion` and the thread has
   * every id that the plan names. A retry of the same plan gives the first result.
   *
   * @throws ThreadfoldError `THREAD_NOT_FOUND`, or `INVALID_PLAN` when version or ids do not fit.
   */
  commitPlan(threadId: ThreadId, plan: CompactionPlan, expectedVersion: number): Promise<CommitResult>;
}
