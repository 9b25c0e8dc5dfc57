import type { CompactionOutcome, CompactionPlan, CompactionStore } from "@threadfold/core";
import {
  afterAttempt,
  type CommitWeighing,
  type FoldHistory,
  type FoldReady,
  foldHistory,
} from "@threadfold/strategies";
import type { CompactOptions } from "./compact-options.ts";
import type { FoldScene } from "./fold-scene.ts";
import type { PlannedFold } from "./plan-fold.ts";

/** How often a fold is tried again when another writer committed first. */
const MAX_CONFLICTS = 3;

/** What a fold came to. */
export interface FoldTurn {
  readonly outcome: CompactionOutcome;
  /** The plan that holds now: the one that was committed, another writer's, or the one that was there. */
  readonly plan: CompactionPlan;
  /** The plan that a committed one was built on. */
  readonly basis: CompactionPlan;
  readonly history: FoldHistory;
  /** True when a fold was made or weighed. */
  readonly attempted: boolean;
  /** What the commit was weighed at; null when it was not. */
  readonly weighing: CommitWeighing | null;
  /** The scene that it was made in: a later one than the first when another writer was first. */
  readonly scene: FoldScene;
}

/** What a fold goes on with when another writer was first. */
export interface FoldCommit {
  readonly plans: CompactionStore;
  /** The scene with the plan that the other writer committed, and with all that this plan covers. Null to give up at the first conflict. */
  readonly rebase: ((scene: FoldScene) => Promise<FoldScene>) | null;
  /** Decides whether to fold and makes the plan. */
  readonly planFold: (scene: FoldScene, options: CompactOptions) => Promise<PlannedFold>;
}

/** Folds when that is due and commits the plan; when another writer was first, starts over on its plan, a bounded number of times. */
export async function foldTurn(
  first: FoldScene,
  { plans, rebase, planFold }: FoldCommit,
  options: CompactOptions,
): Promise<FoldTurn> {
  const forced = options.force === true;
  let scene = first;
  for (let conflicts = 0; ; conflicts++) {
    const { plan, history } = scene;
    const { step } = scene.state.thread.position;
    const { result, attempted, waitCalls, weighing } = await planFold(scene, options);
    if (result.type !== "ready") {
      const { breakerFailures } = scene.config;
      const tried = { step, forced, breakerFailures, waitCalls };
      const next = attempted ? afterAttempt(history, result.type, tried) : history;
      return { outcome: result, plan, basis: plan, history: next, attempted, weighing, scene };
    }
    if (options.signal?.aborted === true) {
      const outcome = { type: "aborted", tokens: unchanged(result) } as const;
      return { outcome, plan, basis: plan, history, attempted: true, weighing, scene };
    }
    const commit = await plans.commitPlan(scene.threadId, result.plan, plan.version);
    if (commit.status === "committed") {
      const outcome = outcomeOf(result);
      const committed = foldHistory(result.plan.version);
      return { outcome, plan: result.plan, basis: plan, history: committed, attempted: true, weighing, scene };
    }
    if (conflicts === MAX_CONFLICTS || rebase === null) {
      const outcome = {
        type: "conflict",
        currentVersion: commit.currentVersion,
        tokens: unchanged(result),
      } as const;
      return { outcome, plan, basis: plan, history, attempted: true, weighing, scene };
    }
    scene = await rebase(scene);
  }
}

const unchanged = ({ tokens: { before } }: FoldReady) => ({ before, after: before });

function outcomeOf({ plan, tokens, floor, summarizerProblem: problem, instructions }: FoldReady): CompactionOutcome {
  const told = instructions === null ? {} : { instructions };
  if (problem !== null) return { type: "summarizer-failed-floor-used", plan, tokens, problem, ...told };
  return { type: "committed", plan, tokens, floor, ...told };
}
