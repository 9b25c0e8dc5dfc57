import type { CompactionOutcome, CompactionPlan, InstructionsEffect, TokensBeforeAfter } from "@threadfold/core";
import type { CommitWeighing, TriggerDecision } from "@threadfold/strategies";
import type { CompactOptions } from "./compact-options.ts";
import { discardingArtifacts } from "./discarding-artifacts.ts";
import type { FoldScene } from "./fold-scene.ts";
import { type HiddenContent, hiddenContent } from "./hidden-content.ts";
import { type PlannedFold, planFold } from "./plan-fold.ts";

/** How a fold would end. */
export type PreviewOutcome =
  | {
      readonly type: "would-commit";
      readonly tokens: TokensBeforeAfter;
      readonly floor: boolean;
      /** What the summarizer's failure was, when a summary without it took its place. */
      readonly summarizerProblem: string | null;
      /** Absent when there were no instructions. */
      readonly instructions?: InstructionsEffect;
    }
  | Exclude<CompactionOutcome, { type: "committed" | "summarizer-failed-floor-used" }>;

/** What a fold would come to, if it were made now. */
export interface PlanPreview {
  /** Why it is, or is not, due. */
  readonly decision: TriggerDecision;
  readonly outcome: PreviewOutcome;
  /** The plan as it would be committed; the current one when nothing would be. */
  readonly plan: CompactionPlan;
  /** What the commit costs and saves, with the prices; null when nothing was weighed or no prices are known. */
  readonly weighing: CommitWeighing | null;
  /** What the request would no longer say word for word. */
  readonly hidden: HiddenContent;
}

/** Makes the plan that a fold would commit, and stores nothing: no artifact, no plan, no journal entry. */
export async function previewPlan(scene: FoldScene, options: CompactOptions): Promise<PlanPreview> {
  const { plan: current, renderer, state } = scene;
  const shownBefore = renderer.render(current).rendering.request;
  const dry = { ...scene, artifacts: discardingArtifacts(scene.artifacts), emit: () => undefined };
  const { decision, weighing, result } = await planFold(dry, options);
  const plan = result.type === "ready" ? result.plan : current;
  const shownAfter = renderer.render(plan).rendering.request;
  const hidden = hiddenContent(state.thread, plan, shownBefore, shownAfter);
  return { decision, outcome: outcomeOf(result), plan, weighing, hidden };
}

function outcomeOf(result: PlannedFold["result"]): PreviewOutcome {
  if (result.type !== "ready") return result;
  const { tokens, floor, summarizerProblem, instructions } = result;
  const told = instructions === null ? {} : { instructions };
  return { type: "would-commit", tokens, floor, summarizerProblem, ...told };
}
