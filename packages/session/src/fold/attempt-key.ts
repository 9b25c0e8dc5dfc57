import { type CompactionOutcome, roomTokens } from "@threadfold/core";
import type { FoldScene } from "./fold-scene.ts";

/** Names what a fold depends on: while it is the same there is nothing new to fold, to be told of or to be asked for. */
export function attemptKey({ state, plan, renderer, config, usage }: FoldScene): string {
  const asked = `${usage.overflow} ${usage.maxOutput} ${usage.measured?.inputTokens ?? "-"}`;
  return `${state.thread.version} ${plan.version} ${renderer.measure(plan)} ${roomTokens(config)} ${asked}`;
}

/** True for outcomes that the same fold would come to again. */
export function isSettled({ type }: CompactionOutcome): boolean {
  return type !== "postponed" && type !== "conflict" && type !== "aborted";
}
