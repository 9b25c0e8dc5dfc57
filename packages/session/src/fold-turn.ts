import type { CompactionOutcome, CompactionPlan, CompactionStore } from "@threadfold/core";
import { afterAttempt, type FoldHistory, type FoldReady, foldHistory } from "@threadfold/strategies";
import type { CompactOptions } from "./compact-options.ts";
import type { FoldScene } from "./fold-scene.ts";
import { planFold } from "./plan-fold.ts";

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
}

/** Folds when that is due and commits the plan; when another writer was first, starts over on its plan, a bounded number of times. */
export async function foldTurn(scene: FoldScene, plans: CompactionStore, options: CompactOptions): Promise<FoldTurn> {
  const { step } = scene.state.thread.position;
  const forced = options.force === true;
  let { plan, history } = scene;
  for (let conflicts = 0; ; conflicts++) {
    const { result, attempted, waitCalls } = await planFold({ ...scene, plan, history }, options);
    if (result.type !== "ready") {
      const next = attempted ? afterAttempt(history, result.type, { step, forced, waitCalls }) : history;
      return { outcome: result, plan, basis: plan, history: next, attempted };
    }
    const commit = await plans.commitPlan(scene.threadId, result.plan, plan.version);
    if (commit.status === "committed") {
      const committed = foldHistory(result.plan.version);
      return { outcome: outcomeOf(result), plan: result.plan, basis: plan, history: committed, attempted: true };
    }
    if (conflicts === MAX_CONFLICTS) {
      const tokens = { before: result.tokens.before, after: result.tokens.before };
      const outcome = { type: "conflict", currentVersion: commit.currentVersion, tokens } as const;
      return { outcome, plan, basis: plan, history, attempted: true };
    }
    plan = (await plans.getCurrentPlan(scene.threadId)).plan ?? plan;
    history = foldHistory(plan.version, history);
  }
}

function outcomeOf({ plan, tokens, floor, summarizerProblem: problem }: FoldReady): CompactionOutcome {
  if (problem !== null) return { type: "summarizer-failed-floor-used", plan, tokens, problem };
  return { type: "committed", plan, tokens, floor };
}
