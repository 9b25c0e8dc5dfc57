import { type CompactionOutcome, requestRoom } from "@threadfold/core";
import {
  type CommitWeighing,
  configForEpoch,
  type FoldReady,
  mayFold,
  type TriggerDecision,
} from "@threadfold/strategies";
import type { CompactOptions } from "./compact-options.ts";
import { decideFold, isCold } from "./decide-fold.ts";
import type { FoldScene } from "./fold-scene.ts";
import { type FiredDecision, foldConfig, runFold } from "./run-fold.ts";
import { forecastFold, growthOf, waitFor, weighFold } from "./weigh-fold.ts";

/** What a session would do now, before anything is committed. */
export interface PlannedFold {
  readonly decision: TriggerDecision;
  /** What the fold costs and saves; null when there is none or the provider's prices are not known. */
  readonly weighing: CommitWeighing | null;
  /** A plan to commit, or the outcome when there is none. */
  readonly result: FoldReady | Exclude<CompactionOutcome, { type: "committed" | "summarizer-failed-floor-used" }>;
  /** True when a fold was made or weighed, and its outcome counts for the next decision. */
  readonly attempted: boolean;
  /** For how many calls the fold is put off. */
  readonly waitCalls: number;
}

/** Whether a fold is due: why, or the outcome for which there is none. */
export type DueFold =
  | { readonly due: true; readonly decision: FiredDecision; readonly tokens: number }
  | { readonly due: false; readonly planned: PlannedFold };

/** Decides whether to fold, before anything is made: trigger, breaker, and what a fold at its best would cost and save. */
export function dueFold(scene: FoldScene, options: CompactOptions): DueFold {
  const tokens = scene.renderer.measure(scene.plan);
  const unchanged = { before: tokens, after: tokens };
  const decision = decideFold(scene, tokens, options);
  const none = { decision, weighing: null, attempted: false, waitCalls: 0 };
  if (decision.level === "none") {
    const result = { type: "no-op", reason: idleReason(scene, tokens), tokens: unchanged } as const;
    return { due: false, planned: { ...none, result } };
  }
  const pointless = options.force === true ? null : pointlessReason(scene, decision, tokens);
  if (pointless !== null) {
    const result = { type: "no-op", reason: pointless, tokens: unchanged } as const;
    return { due: false, planned: { ...none, result } };
  }
  const permission = mayFold(scene.history, {
    level: decision.level,
    forced: options.force === true,
    step: scene.state.thread.position.step,
    cacheIsCold: isCold(scene, tokens),
    breakerFailures: scene.config.breakerFailures,
  });
  if (permission.type !== "go") {
    const result = { type: "postponed", reason: permission.reason, tokens: unchanged } as const;
    return { due: false, planned: { ...none, result } };
  }
  const early = postponed(scene, decision, forecastFold(scene, tokens), tokens);
  return early === null ? { due: true, decision, tokens } : { due: false, planned: early };
}

/** Decides whether to fold, makes the plan, and weighs it. Bounded work: every stage runs at most once. */
export async function planFold(scene: FoldScene, options: CompactOptions): Promise<PlannedFold> {
  const due = dueFold(scene, options);
  if (!due.due) return due.planned;
  const { decision, tokens } = due;
  const result = await runFold(scene, decision, options);
  if (result.type !== "ready") return { decision, weighing: null, attempted: true, waitCalls: 0, result };
  const weighing = weighFold(scene, result);
  const late = postponed(scene, decision, weighing, tokens);
  return late ?? { decision, weighing, attempted: true, waitCalls: 0, result };
}

/** Makes the plan of the deterministic floor, because the request must not go out as it is. Asks no trigger and no breaker. */
export async function planFloor(scene: FoldScene, options: CompactOptions): Promise<PlannedFold> {
  const decision = { level: "hard", reason: "the request exceeds its room" } as const;
  const result = await runFold(scene, decision, options, true);
  return { decision, weighing: null, attempted: true, waitCalls: 0, result };
}

function postponed(
  scene: FoldScene,
  decision: TriggerDecision,
  weighing: CommitWeighing | null,
  tokens: number,
): PlannedFold | null {
  const waitCalls = decision.level === "hard" ? 0 : waitFor(scene, weighing);
  if (weighing === null || waitCalls === 0) return null;
  const reason = `a fold does not pay yet: ${weighing.reason}`;
  const result = { type: "postponed", reason, tokens: { before: tokens, after: tokens } } as const;
  return { decision, weighing, attempted: true, waitCalls, result };
}

/** Why a fold that a trigger asks for would find nothing to do; null when it may find something. */
function pointlessReason(scene: FoldScene, decision: FiredDecision, tokens: number): string | null {
  const { state, plan, usage } = scene;
  const { target } = requestRoom(configForEpoch(foldConfig(scene, decision), growthOf(scene)));
  if (tokens <= target) return `${tokens} tokens are within the target of ${target}`;
  if (decision.level === "hard" || plan.version === 0) return null;
  const isMeasured = usage.measured?.planVersion === plan.version;
  const isUnchanged = plan.threadVersion === state.thread.version && tokens <= plan.compactedTokens && !isMeasured;
  return isUnchanged ? "nothing came since the last fold" : null;
}

function idleReason({ usage }: FoldScene, tokens: number): string {
  if (usage.overflow === "exhausted")
    return "the provider refused the request as too long again after a fold; it is not folded for that a second time";
  return `${tokens} tokens are below the trigger`;
}
