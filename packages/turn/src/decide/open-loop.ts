import { tokenBudget } from "@threadfold/core";
import type { Turn } from "../state/turn-state.ts";
import { CALLS_OF_HEADROOM } from "./costs.ts";
import { growthOf } from "./weigh-fold.ts";

/**
 * Returns why a soft fold waits until the open tool loop is over; null when it need not or must not wait. If a model's
 * thinking is bound to the preceding prompt, a fold would lose all the thinking of the loop, which is no longer needed
 * once the loop ends. The wait ends when the request has no room for more calls: then the budget wins, and a warning of
 * the request says that reasoning was left out.
 */
export function loopWait(turn: Turn, tokens: number): string | null {
  const { config } = turn;
  if (!config.costModelEnabled || !cutsThinking(turn)) return null;
  const calls = Math.floor((tokenBudget(config).planLimitTokens - tokens) / Math.max(1, growthOf(turn)));
  return calls <= CALLS_OF_HEADROOM ? null : "a fold now would take the thinking out of the open tool loop";
}

/** Checks whether the request contains thinking in an open tool loop that a fold would invalidate. */
function cutsThinking({ renderer, plan }: Turn): boolean {
  const { request, manifest } = renderer.rendering(plan);
  const { messages } = request;
  if (manifest.reasoningBinding !== "prefix-bound" || messages.at(-1)?.role !== "tool") return false;
  const asked = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(asked + 1).some(({ parts }) => parts.some(({ type }) => type === "reasoning"));
}
