import {
  type Clock,
  type CompactionNotice,
  type CompactionOutcome,
  type CompactionPlan,
  compactionNotice,
} from "@threadfold/core";
import { compactionQuality, qualityEvent } from "@threadfold/rehydration";
import type { CommitWeighing } from "@threadfold/strategies";
import type { FoldAttempt } from "../fold/fold-attempt.ts";
import type { FoldScenes } from "../fold/fold-scenes.ts";
import type { FoldTurn } from "../fold/fold-turn.ts";
import type { SessionOptions } from "../session-options.ts";
import { recordEvents } from "./record-events.ts";
import type { SessionEvents } from "./session-events.ts";

/** Tells a session's listener what its folds do. What tells of a plan is told after its commit. */
export class FoldTeller {
  readonly #options: Pick<SessionOptions, "threadId" | "warnAfterCompactions">;
  readonly #events: SessionEvents;
  readonly #scenes: FoldScenes;
  readonly #clock: Clock;

  constructor(
    options: Pick<SessionOptions, "threadId" | "warnAfterCompactions">,
    events: SessionEvents,
    scenes: FoldScenes,
    clock: Clock,
  ) {
    this.#options = options;
    this.#events = events;
    this.#scenes = scenes;
    this.#clock = clock;
  }

  started({ foldId, cause, tokensBefore }: FoldAttempt): void {
    this.#events.emit({ ...this.#base, foldId, type: "compaction_check_started", cause, tokensBefore });
  }

  /** Tells of a plan that was committed, record by record, and gives the notice of it. */
  committed({ scene, outcome, plan, basis }: FoldTurn, { foldId, cause, startedAt }: FoldAttempt): CompactionNotice {
    const { thread } = scene.state;
    for (const event of recordEvents(scene, plan)) this.#events.emit(event);
    // An epoch ends here: how well its fold served is told before the next one begins.
    if (basis.version > 0)
      this.#events.emit(qualityEvent(basis, scene.config.maxInputTokens, compactionQuality(thread, basis)));
    const { warnAfterCompactions: warnAfter } = this.#options;
    const notice = compactionNotice({
      cause,
      plan,
      threadLength: thread.length,
      pinned: thread.livePins.length,
      tokens: outcome.tokens,
      budgetLimit: scene.config.maxInputTokens,
      durationMilliseconds: this.#clock.now() - startedAt,
      ...(warnAfter !== undefined && { warnAfter }),
    });
    this.#events.emit({ ...this.#base, foldId, type: "compaction_boundary", notice });
    return notice;
  }

  async completed(
    { foldId, cause, startedAt, metered }: FoldAttempt,
    outcome: CompactionOutcome,
    weighing: CommitWeighing | null,
  ): Promise<void> {
    await this.#events.emitRedacted({
      ...this.#base,
      foldId,
      type: "compaction_completed",
      cause,
      outcome,
      tokensBefore: outcome.tokens.before,
      tokensAfter: outcome.tokens.after,
      durationMilliseconds: this.#clock.now() - startedAt,
      cost: { ...metered.cost(), weighing: weighing === null ? null : weighed(weighing) },
    });
  }

  reverted(plan: CompactionPlan, restoredVersion: number, { tokens }: CompactionOutcome): void {
    const { before: tokensBefore, after: tokensAfter } = tokens;
    const figures = { planVersion: plan.version, restoredVersion, tokensBefore, tokensAfter };
    this.#events.emit({ ...this.#base, type: "compaction_reverted", ...figures });
  }

  get #base() {
    return { threadId: this.#options.threadId, budgetLimit: this.#scenes.config.maxInputTokens };
  }
}

const weighed = ({ cost, savingPerCall, breakEvenCalls }: CommitWeighing) => ({ cost, savingPerCall, breakEvenCalls });
