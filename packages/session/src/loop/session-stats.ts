import { availableForMessages, overheadTokens, spanLength, type TokenBudget, utilization } from "@threadfold/core";
import { inProviderTokens, type UsageTotals } from "@threadfold/turn";
import { type StrategyWork, strategyWork } from "../events/freed-tokens.ts";
import type { RecallTotals } from "../unfold/unfolding.ts";
import type { SessionServices } from "./session-services.ts";

/** A session in figures. Tokens are the provider's, as far as its reports say how it counts. */
export interface SessionStats {
  /** Tokens of the request under the current plan. */
  readonly tokens: number;
  readonly budget: TokenBudget;
  readonly utilization: number;
  /** Tokens that messages may take before a fold is due. Negative where system text and tools alone take more. */
  readonly availableForMessages: number;
  readonly planVersion: number;
  /** False while nothing is folded unasked. */
  readonly autoCompaction: boolean;
  /** How many plans were committed for the thread, by any session. */
  readonly compactionCount: number;
  /** Messages of the thread, and those of them that the plan folds. */
  readonly messages: number;
  readonly foldedMessages: number;
  /** What each strategy does in the plan that holds, by its name: messages, and what they take less than as they are. */
  readonly strategies: Readonly<Record<string, StrategyWork>>;
  /** What the plan takes out of the request; what brought its records about may have been several folds. */
  readonly tokensFreed: number;
  /** Tokens that the request would have without any folding; what was left in the store counts as it did when it was folded. */
  readonly unfoldedTokens: number;
  /** Pins that hold. */
  readonly pins: number;
  /** The most tokens that the model was found to take by its refusals (S28); null while nothing is known of it. */
  readonly learnedLimit: number | null;
  /** What the provider reported of this session's requests, in its own tokens; `cacheHitRate` is its prompt cache's. */
  readonly usage: UsageTotals;
  /** What `search_thread` of this session answered, and what one answer takes at the most: a share of `maxInputTokens`. */
  readonly recall: RecallTotals & { readonly limitTokens: number };
}

/** Reads the figures of a session as it is now. */
export function sessionStats({
  thread,
  request,
  plan: { current: plan },
  memory,
  unfolding,
  folding,
}: SessionServices): SessionStats {
  const { state } = thread;
  const renderer = request.renderer(state);
  const tokens = renderer.measure(plan);
  const strategies = strategyWork(renderer, plan, memory.usage.estimate);
  const budget = request.budget(state);
  const overhead = overheadTokens(budget);
  const folded = [plan.externalizations, plan.summarizations, plan.clearings, plan.drops].flat();
  return {
    tokens,
    budget,
    utilization: utilization(budget, tokens - overhead),
    availableForMessages: availableForMessages(budget),
    planVersion: plan.version,
    autoCompaction: folding.disabled === null,
    compactionCount: plan.version,
    messages: state.thread.length,
    foldedMessages: folded.reduce((sum, { span }) => sum + spanLength(span), 0),
    strategies,
    tokensFreed: Object.values(strategies).reduce((sum, { tokensFreed }) => sum + tokensFreed, 0),
    unfoldedTokens: inProviderTokens(state, memory.usage.estimate).ledger.totalTokens + overhead,
    pins: state.thread.livePins.length,
    learnedLimit: Number.isFinite(memory.limit) ? memory.limit : null,
    usage: memory.totals,
    recall: { ...unfolding.answers, limitTokens: unfolding.answerLimit },
  };
}
