import type { CompactionOutcome } from "@threadfold/core";
import { type CommitWeighing, type FoldReady, mayFold, type TriggerDecision } from "@threadfold/strategies";
import type { CompactOptions } from "./compact-options.ts";
import { decideFold, isCold } from "./decide-fold.ts";
import type { FoldScene } from "./fold-scene.ts";
import { runFold } from "./run-fold.ts";
import { forecastFold, waitFor, weighFold } from "./weigh-fold.ts";

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

/** Decides whether to fold, makes the plan, and weighs it. Bounded work: every stage runs at most once. */
export async function planFold(scene: FoldScene, options: CompactOptions): Promise<PlannedFold> {
  const tokens = scene.renderer.measure(scene.plan);
  const unchanged = { before: tokens, after: tokens };
  const decision = decideFold(scene, tokens, options);
  const none = { decision, weighing: null, attempted: false, waitCalls: 0 };
  if (decision.level === "none")
    return { ...none, result: { type: "no-op", reason: idleReason(scene, tokens), tokens: unchanged } };

  const permission = mayFold(scene.history, {
    level: decision.level,
    forced: options.force === true,
    step: scene.state.thread.position.step,
    cacheIsCold: isCold(scene, tokens),
    breakerFailures: scene.config.breakerFailures,
  });
  if (permission.type !== "go")
    return { ...none, result: { type: "postponed", reason: permission.reason, tokens: unchanged } };

  const postponed = (weighing: CommitWeighing | null): PlannedFold | null => {
    const waitCalls = decision.level === "hard" ? 0 : waitFor(scene, weighing);
    if (weighing === null || waitCalls === 0) return null;
    const reason = `a fold does not pay yet: ${weighing.reason}`;
    return { decision, weighing, attempted: true, waitCalls, result: { type: "postponed", reason, tokens: unchanged } };
  };
  const early = postponed(forecastFold(scene, tokens));
  if (early !== null) return early;
  const result = await runFold(scene, decision, options);
  if (result.type !== "ready") return { ...none, attempted: true, result };
  const weighing = weighFold(scene, result);
  return postponed(weighing) ?? { decision, weighing, attempted: true, waitCalls: 0, result };
}

function idleReason({ usage }: FoldScene, tokens: number): string {
  if (usage.overflow === "exhausted")
    return "the provider refused the request as too long again after a fold; it is not folded for that a second time";
  return `${tokens} tokens are below the trigger`;
}
