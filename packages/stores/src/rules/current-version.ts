import type { CompactionStore, ThreadId } from "@threadfold/core";

/** The version of a thread's newest plan, read without the plan where the store can do that. */
export async function currentVersion(plans: CompactionStore, threadId: ThreadId): Promise<number> {
  return plans.getCurrentVersion?.(threadId) ?? (await plans.getCurrentPlan(threadId)).version;
}
