import {
  type CompactionOutcome,
  type CompactionPlan,
  type CompactionStore,
  groupRecords,
  NO_RECORDS,
  overheadTokens,
  type PlanRecords,
  planRecords,
  sealPlan,
  ThreadfoldError,
  type TokenBudget,
} from "@threadfold/core";
import type { RequestRenderer } from "../measure/request-renderer.ts";
import type { ThreadState } from "../measure/thread-state.ts";
import { breaksMore } from "../verify/candidates.ts";

/** What rendering and counting a plan before its commit depends on. */
interface CommitGrounds {
  readonly state: ThreadState;
  readonly renderer: RequestRenderer;
  readonly budget: TokenBudget;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Commits a new plan with the records of an earlier one: this undoes folds, and leaves the log and all plans unchanged.
 * Version 0 shows the thread unfolded. A plan that would break a rule of the provider or hide a pin is refused.
 *
 * @throws ThreadfoldError `PLAN_NOT_FOUND` when there is no plan of that version.
 */
export async function revertPlan(
  plans: CompactionStore,
  current: CompactionPlan,
  planVersion: number,
  grounds: CommitGrounds,
): Promise<CompactionOutcome> {
  const records = await recordsOf(plans, current, planVersion);
  const before = grounds.renderer.measure(current);
  const unchanged = { before, after: before };
  if (planVersion === current.version || planRecords(records).length + planRecords(current).length === 0)
    return { type: "no-op", reason: `plan ${planVersion} is already in effect`, tokens: unchanged };
  return commitRecords(plans, current, records, grounds);
}

/**
 * Commits records that were not made by a fold as the next plan, after verifying what they render to. A plan that would
 * break a rule of the provider or hide a pin is refused.
 */
export async function commitRecords(
  plans: CompactionStore,
  current: CompactionPlan,
  records: PlanRecords,
  { state, renderer, budget, now }: CommitGrounds,
): Promise<CompactionOutcome> {
  const { threadId } = current;
  const before = renderer.measure(current);
  const unchanged = { before, after: before };
  const draft = {
    ...records,
    threadId,
    threadVersion: state.thread.version,
    version: current.version + 1,
    policyVersion: current.policyVersion,
    createdAt: new Date(now).toISOString(),
    originalTokens: state.ledger.totalTokens + overheadTokens(budget),
    compactedTokens: 0,
  };
  const verification = renderer.verify(sealPlan(draft));
  const { tokens, violations, missingPins } = verification;
  if (missingPins.length > 0 || breaksMore(verification, () => renderer.verify(current)))
    return { type: "refused", violations, missingPins, tokens: unchanged };
  const plan = sealPlan({ ...draft, compactedTokens: tokens });
  const commit = await plans.commitPlan(threadId, plan, current.version);
  if (commit.status === "conflict")
    return { type: "conflict", currentVersion: commit.currentVersion, tokens: unchanged };
  return { type: "committed", plan, tokens: { before, after: tokens }, floor: false };
}

async function recordsOf(
  plans: CompactionStore,
  { threadId, version }: CompactionPlan,
  planVersion: number,
): Promise<PlanRecords & Pick<CompactionPlan, "revealedTools" | "providerItem">> {
  if (planVersion === 0) return NO_RECORDS;
  const isThinkable = Number.isSafeInteger(planVersion) && planVersion > 0 && planVersion <= version;
  const plan = isThinkable ? await plans.getPlan(threadId, planVersion) : null;
  if (plan !== null) {
    const { revealedTools, providerItem } = plan;
    return {
      ...groupRecords(planRecords(plan)),
      ...(revealedTools !== undefined && { revealedTools }),
      ...(providerItem !== undefined && { providerItem }),
    };
  }
  throw new ThreadfoldError("PLAN_NOT_FOUND", `There is no plan ${String(planVersion)} of thread ${threadId}.`, {
    hint:
      version === 0
        ? "The thread has no plan yet. Version 0, which is the unfolded thread, is in effect."
        : `Name a version from 0, which unfolds the thread, to ${version}.`,
  });
}
