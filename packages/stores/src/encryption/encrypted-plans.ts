import type { CommitResult, CompactionPlan, CompactionStore, PlanInfo, ThreadId } from "@threadfold/core";
import { admitPlan } from "../rules/admit-plan.ts";
import { planInfo } from "../rules/plan-info.ts";
import type { PlaceOf } from "./sealed-places.ts";
import { openedPlan, sealedPlan } from "./sealed-plan.ts";
import { Sealer } from "./sealer.ts";

/** Plans whose summaries, reasons and words are sealed. */
export class EncryptedPlans implements CompactionStore {
  readonly #inner: CompactionStore;
  readonly #placeOf: PlaceOf;

  constructor(inner: CompactionStore, placeOf: PlaceOf) {
    this.#inner = inner;
    this.#placeOf = placeOf;
  }

  async getCurrentPlan(
    threadId: ThreadId,
  ): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }> {
    const { plan, version } = await this.#inner.getCurrentPlan(threadId);
    return Object.freeze({ plan: await this.#opened(threadId, plan), version });
  }

  async getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    return this.#opened(threadId, await this.#inner.getPlan(threadId, version));
  }

  /** The plans with the ids that they have when they are opened; each is opened for that. Erased ones have those of what is stored. */
  async listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]> {
    const stored = await this.#inner.listPlans(threadId);
    const { keys, subject } = this.#placeOf(threadId);
    if (stored.length === 0 || (await keys.isShredded(subject))) return stored;
    const infos: PlanInfo[] = [];
    for (const info of stored) {
      const plan = await this.getPlan(threadId, info.version);
      infos.push(plan === null ? info : planInfo(plan));
    }
    return Object.freeze(infos);
  }

  async commitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): Promise<CommitResult> {
    const plan = admitPlan(threadId, candidate, expectedVersion);
    const sealer = await Sealer.toSeal(this.#placeOf(threadId));
    return this.#inner.commitPlan(threadId, sealedPlan(sealer, plan), expectedVersion);
  }

  async #opened(threadId: ThreadId, plan: CompactionPlan | null): Promise<CompactionPlan | null> {
    return plan === null ? null : openedPlan(await Sealer.toOpen(this.#placeOf(threadId)), plan);
  }
}
