import {
  artifactIdOf,
  type CompactionOutcome,
  type CompactionPlan,
  type InstructionsEffect,
  problemOf,
  type TokensBeforeAfter,
} from "@threadfold/core";
import type { TriggerDecision } from "@threadfold/strategies";
import type { CommitWeighing } from "./decide/costs.ts";
import type { CompactOptions } from "./state/compact-options.ts";
import type { Turn } from "./state/turn-state.ts";
import { type PlannedFold, planTurn } from "./turn.ts";
import { type HiddenContent, hiddenContent } from "./verify/hidden-content.ts";

/** How a fold would end. */
export type PreviewOutcome =
  | {
      readonly type: "would-commit";
      readonly tokens: TokensBeforeAfter;
      readonly floor: boolean;
      /** Why the summarizer failed, if a summary made without it was used. */
      readonly summarizerProblem: string | null;
      /** Absent when there were no instructions. */
      readonly instructions?: InstructionsEffect;
    }
  | Exclude<CompactionOutcome, { type: "committed" | "summarizer-failed-floor-used" }>;

/** What a fold would do now. */
export interface PlanPreview {
  /** Why a fold is, or is not, due. */
  readonly decision: TriggerDecision;
  readonly outcome: PreviewOutcome;
  /** The plan that would be committed; the current one if none would be. */
  readonly plan: CompactionPlan;
  /** Cost and savings of the commit, with the prices; null when nothing was weighed or the prices are unknown. */
  readonly weighing: CommitWeighing | null;
  /** What the request would no longer contain verbatim. */
  readonly hidden: HiddenContent;
}

/** Makes the plan that a fold would commit, and stores nothing: no artifact, no plan, no journal entry. */
export async function previewPlan(turn: Turn, options: CompactOptions): Promise<PlanPreview> {
  const { plan: current, renderer, state } = turn;
  const shownBefore = renderer.render(current).rendering.request;
  const dry = { ...turn, artifacts: DISCARDING, emit: () => undefined };
  const { decision, weighing, result } = await plannedOrKept(dry, options);
  const plan = result.type === "ready" ? result.plan : current;
  const shownAfter = renderer.render(plan).rendering.request;
  const hidden = await hiddenContent(state.thread, plan, shownBefore, shownAfter);
  return { decision, outcome: outcomeOf(result), plan, weighing, hidden };
}

/** Returns the fold that would be made. If a failing summarizer would end it, it counts as failed. */
async function plannedOrKept(turn: Turn, options: CompactOptions): Promise<PlannedFold> {
  try {
    return await planTurn(turn, options);
  } catch (cause) {
    if (turn.onSummaryFailure !== "keep") throw cause;
    const before = turn.renderer.measure(turn.plan);
    const result = { type: "failed", problem: problemOf(cause), cause, tokens: { before, after: before } } as const;
    return { decision: { level: "none" }, weighing: null, attempted: true, waitCalls: 0, result };
  }
}

function outcomeOf(result: PlannedFold["result"]): PreviewOutcome {
  if (result.type !== "ready") return result;
  const { tokens, floor, summarizerProblem, instructions } = result;
  const told = instructions === null ? {} : { instructions };
  return { type: "would-commit", tokens, floor, summarizerProblem, ...told };
}

/** Stores nothing, but returns the ids that storing would assign. */
const DISCARDING: Turn["artifacts"] = {
  store: async (content, { threadId, tenantId }) => artifactIdOf(threadId, tenantId, content),
};
