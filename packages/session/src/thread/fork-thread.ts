import {
  type AgentThread,
  type CompactionPlan,
  groupRecords,
  planRecords,
  sealPlan,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { checkNewThread } from "../host/checked-options.ts";

/** Where a fork begins and what it is called. */
export interface ForkOptions {
  /** Id of the fork; nothing may be there yet. */
  readonly threadId: ThreadId;
  /**
   * How many entries the fork begins with; all of them by default, and when there are fewer. To edit a message, fork before
   * it and append the new one.
   */
  readonly atVersion?: number;
}

/** A fork as the store has it. */
export interface ForkedThread {
  readonly thread: AgentThread;
  /** The plan that the fork begins with; null when the source was not folded yet at that point. */
  readonly plan: CompactionPlan | null;
}

/**
 * Makes a thread of its own from a thread's first entries, as Amp's fork, edit and restore do. A fork after a fold
 * begins with that fold, so that it shows the same prompt; a fork before it begins unfolded, which undoes the fold (L8,
 * L9). The source stays as it is, and externalized content stays in the source's artifacts.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an empty id or an impossible version; `THREAD_NOT_FOUND`; `VERSION_CONFLICT`
 * when the fork's id is taken.
 */
export async function forkThread(
  store: ThreadfoldStore,
  source: ThreadId,
  options: ForkOptions,
): Promise<ForkedThread> {
  const { threadId, atVersion } = options ?? {};
  checkNewThread(threadId);
  if (atVersion !== undefined && !(Number.isInteger(atVersion) && atVersion >= 0)) {
    throw new ThreadfoldError("INVALID_CONFIG", `atVersion: a fork cannot begin with ${atVersion} entries.`, {
      hint: "Give a whole number from 0 on; a version beyond the thread's end means all of it.",
      details: { name: "atVersion" },
    });
  }
  const original = await store.threads.load(source);
  if (original === null) throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${source} to fork.`);
  const thread = original.fork(threadId, Math.min(atVersion ?? original.version, original.version));
  await store.threads.append(threadId, thread.entriesBetween(0), { expectedVersion: "no-thread" });
  const former = await planAt(store, source, thread.version);
  if (former === null) return { thread, plan: null };
  const plan = planFor(threadId, former);
  await store.plans.commitPlan(threadId, plan, 0);
  return { thread, plan };
}

/** The newest plan that covers no more of the source than the fork has. */
async function planAt(store: ThreadfoldStore, source: ThreadId, version: number): Promise<CompactionPlan | null> {
  const plans = await store.plans.listPlans(source);
  const newest = plans.findLast(({ threadVersion }) => threadVersion <= version);
  return newest === undefined ? null : store.plans.getPlan(source, newest.version);
}

/** The same records as the first plan of another thread. */
function planFor(threadId: ThreadId, plan: CompactionPlan): CompactionPlan {
  const records = planRecords(plan).map((record) => ({ ...record, sincePlanVersion: 1 }));
  return sealPlan({ ...plan, ...groupRecords(records), threadId, version: 1 });
}
