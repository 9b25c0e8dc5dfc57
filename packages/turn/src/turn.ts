import type {
  AgentThread,
  CompactionOutcome,
  CompactionPlan,
  CompactionStore,
  NormalizationChange,
} from "@threadfold/core";
import type { TriggerDecision } from "@threadfold/strategies";
import type { CommitWeighing } from "./decide/costs.ts";
import { type DeclinedFold, decide, type FoldDecision, postponed, takesProviderItem } from "./decide/decide.ts";
import { weighFold } from "./decide/weigh-fold.ts";
import { makePlan, planWithItem } from "./fold/make-plan.ts";
import { afterAttempt, type FoldHistory, foldHistory } from "./state/breaker.ts";
import { type CompactOptions, isAsked } from "./state/compact-options.ts";
import type { Turn } from "./state/turn-state.ts";
import type { FoldReady } from "./verify/fold-result.ts";
import { keepUsed } from "./verify/used-meanwhile.ts";

/** Maximum number of retries of a fold when another writer committed first. */
const MAX_CONFLICTS = 3;

/** A plan that was made, rendered and weighed, but not committed yet. */
interface MadeFold {
  readonly decision: TriggerDecision;
  /** Cost and savings of the commit; null when the provider's prices are unknown. */
  readonly weighing: CommitWeighing | null;
  readonly result: FoldReady;
  readonly attempted: true;
  readonly waitCalls: 0;
}

/** What a turn would do now, before anything is committed: a plan to commit, or the outcome if there is none. */
export type PlannedFold = DeclinedFold | MadeFold;

/** The result of a turn. */
export interface TurnResult {
  readonly outcome: CompactionOutcome;
  /** The current plan: the one that was committed, another writer's, or the previous one. */
  readonly plan: CompactionPlan;
  /** The plan that a committed one was built on. */
  readonly basis: CompactionPlan;
  readonly history: FoldHistory;
  /** True if a fold was made or weighed. */
  readonly attempted: boolean;
  /** Cost and savings of the commit; null when it was not weighed. */
  readonly weighing: CommitWeighing | null;
  /** Differences between the committed plan and what was proposed. */
  readonly changes: readonly NormalizationChange[];
  /** The turn that it was made in: a later one than the first if another writer committed first. */
  readonly turn: Turn;
}

/** What committing a turn depends on. */
export interface TurnCommit {
  readonly plans: CompactionStore;
  /**
   * Returns the turn with another writer's plan and everything that it covers. Null to give up at the first conflict.
   */
  readonly rebase: ((turn: Turn) => Promise<Turn>) | null;
  /** Returns the thread as it is now: content that calls used since the fold began is kept, or nothing is committed. */
  readonly threadNow: () => Promise<AgentThread>;
  /** Decides and makes the plan: {@link planTurn}, or {@link planFloor} for a request that must not go out as it is. */
  readonly plan: (turn: Turn, options: CompactOptions, decision?: FoldDecision) => Promise<PlannedFold>;
}

/**
 * Folds if a fold is due, stage by stage: decide, propose, normalize, fulfil, verify, commit. If another writer
 * committed first, it starts over on that writer's plan, a bounded number of times.
 *
 * @param decision the result of {@link decide} for this very turn, if already known.
 */
export async function foldTurn(
  first: Turn,
  { plans, rebase, threadNow, plan: makeFold }: TurnCommit,
  options: CompactOptions,
  decision?: FoldDecision,
): Promise<TurnResult> {
  let turn = first;
  let decided = decision;
  for (let conflicts = 0; ; conflicts++) {
    const { plan, history } = turn;
    const { result, attempted, waitCalls, weighing } = await makeFold(turn, options, decided);
    const ended = { plan, basis: plan, history, attempted, weighing, changes: [], turn };
    if (result.type !== "ready") {
      const next = attempted ? afterAttempt(history, result.type, triedAt(turn, options, waitCalls)) : history;
      return { ...ended, outcome: result, history: next };
    }
    const unchanged = { before: result.tokens.before, after: result.tokens.before };
    if (options.signal?.aborted === true) return { ...ended, outcome: { type: "aborted", tokens: unchanged } };
    const checked = await usedMeanwhileKept(turn, result, threadNow);
    if (checked === null)
      return { ...ended, outcome: { type: "postponed", reason: USED_MEANWHILE, tokens: unchanged } };
    const commit = await plans.commitPlan(turn.threadId, checked.plan, plan.version);
    if (commit.status === "committed") {
      const { version } = checked.plan;
      const { changes } = checked;
      return { ...ended, outcome: committed(checked), plan: checked.plan, history: foldHistory(version), changes };
    }
    if (conflicts === MAX_CONFLICTS || rebase === null) {
      const { currentVersion } = commit;
      return { ...ended, outcome: { type: "conflict", currentVersion, tokens: unchanged } };
    }
    turn = await rebase(turn);
    decided = undefined;
  }
}

const USED_MEANWHILE = "calls that were made meanwhile use what the fold would take out; it is made anew";

/** Returns the fold with content that calls used while it was made and checked; null when it must be made again. */
async function usedMeanwhileKept(
  turn: Turn,
  made: FoldReady,
  threadNow: TurnCommit["threadNow"],
): Promise<FoldReady | null> {
  let fold: FoldReady | null = made;
  let since = turn.state.thread.version;
  for (let now = await threadNow(); fold !== null && now.version > since; now = await threadNow()) {
    fold = await keepUsed(turn, fold, since, now);
    since = now.version;
  }
  return fold;
}

/** Decides whether to fold, makes the plan, and weighs it. Bounded work: every stage runs at most once. */
export async function planTurn(
  turn: Turn,
  options: CompactOptions,
  decided: FoldDecision = decide(turn, options),
): Promise<PlannedFold> {
  if (!decided.due) return decided.declined;
  const { decision, tokens } = decided;
  const { providerItem } = turn;
  if (providerItem !== undefined && takesProviderItem(turn, options)) {
    const result = await planWithItem(turn, providerItem, decision, options);
    const made = { decision, weighing: null, attempted: true, waitCalls: 0 } as const;
    return result.type === "ready" ? { ...made, result } : { ...made, result };
  }
  const result = await makePlan(turn, decision, options);
  if (result.type !== "ready") return { decision, weighing: null, attempted: true, waitCalls: 0, result };
  const weighing = weighFold(turn, result);
  const late = postponed(turn, decision, weighing, tokens);
  return late ?? { decision, weighing, attempted: true, waitCalls: 0, result };
}

/**
 * Makes the plan of the deterministic floor, for a request that must not go out as it is. Ignores trigger and breaker.
 */
export async function planFloor(turn: Turn, options: CompactOptions): Promise<PlannedFold> {
  const decision = { level: "hard", reason: "the request exceeds its room" } as const;
  const result = await makePlan(turn, decision, options, true);
  const made = { decision, weighing: null, attempted: true, waitCalls: 0 } as const;
  return result.type === "ready" ? { ...made, result } : { ...made, result };
}

const triedAt = ({ state, config }: Turn, options: CompactOptions, waitCalls: number) => ({
  step: state.thread.position.step,
  forced: isAsked(options),
  breakerFailures: config.breakerFailures,
  waitCalls,
});

function committed(result: FoldReady): CompactionOutcome {
  const { plan, tokens, floor, summarizerProblem: problem, instructions, notStored } = result;
  const told = { ...(instructions !== null && { instructions }), ...(notStored !== undefined && { notStored }) };
  if (problem !== null) return { type: "summarizer-failed-floor-used", plan, tokens, problem, ...told };
  return { type: "committed", plan, tokens, floor, ...told };
}
