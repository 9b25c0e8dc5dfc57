import type {
  CommitResult,
  CompactionPlan,
  CompactionStore,
  PlanInfo,
  ThreadId,
  ThreadRanges,
  ThreadStore,
} from "@threadfold/core";
import { admitPlan } from "../rules/admit-plan.ts";
import { currentVersion } from "../rules/current-version.ts";
import { planInfo } from "../rules/plan-info.ts";
import { openedPlan, sealedPlan } from "./sealed-plan.ts";
import type { Sealers } from "./sealers.ts";

/** Threads as they are when they are opened, whole and, where the store can read those, in parts. */
export interface OpenedThreads {
  readonly threads: ThreadStore;
  readonly ranges: ThreadRanges | undefined;
}

/** Plans whose summaries, reasons and words are sealed. */
export class EncryptedPlans implements CompactionStore {
  readonly #inner: CompactionStore;
  readonly #threads: OpenedThreads;
  readonly #sealers: Sealers;

  constructor(inner: CompactionStore, threads: OpenedThreads, sealers: Sealers) {
    this.#inner = inner;
    this.#threads = threads;
    this.#sealers = sealers;
  }

  async getCurrentPlan(
    threadId: ThreadId,
  ): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }> {
    const { plan, version } = await this.#inner.getCurrentPlan(threadId);
    return Object.freeze({ plan: await this.#open(threadId, plan), version });
  }

  getCurrentVersion(threadId: ThreadId): Promise<number> {
    return currentVersion(this.#inner, threadId);
  }

  async getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    return this.#open(threadId, await this.#inner.getPlan(threadId, version));
  }

  /** The plans with the ids that they have when they are opened; each is opened for that. Erased ones have those of what is stored. */
  async listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]> {
    const stored = await this.#inner.listPlans(threadId);
    if (stored.length === 0 || (await this.#sealers.isShredded(threadId))) return stored;
    const infos: PlanInfo[] = [];
    for (const info of stored) {
      const plan = await this.getPlan(threadId, info.version);
      infos.push(plan === null ? info : planInfo(plan));
    }
    return Object.freeze(infos);
  }

  async commitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): Promise<CommitResult> {
    const plan = admitPlan(threadId, candidate, expectedVersion);
    const sealer = await this.#sealers.toSeal(threadId);
    const threadDigest = await this.#digestAt(threadId, plan.threadVersion);
    return this.#inner.commitPlan(threadId, sealedPlan(sealer, plan, threadDigest), expectedVersion);
  }

  /**
   * The thread's digest at a version, for a thread that goes on from there: reckoned from the plan before and what came
   * since, so that no more than a thread's first commit reads all of it. Undefined where nobody will ask for it.
   */
  async #digestAt(threadId: ThreadId, version: number): Promise<string | undefined> {
    const { threads, ranges } = this.#threads;
    const resumed = await ranges?.resume(threadId);
    if (resumed === undefined) return undefined;
    const isBehind = resumed !== null && resumed.plan.threadVersion <= version;
    const thread = isBehind ? resumed.thread : await threads.load(threadId);
    return thread?.atVersion(version).digest;
  }

  async #open(threadId: ThreadId, plan: CompactionPlan | null): Promise<CompactionPlan | null> {
    return plan === null ? null : openedPlan(await this.#sealers.toOpen(threadId), plan);
  }
}
