import { availableForMessages, overheadTokens, spanLength, type TokenBudget, utilization } from "@threadfold/core";
import { inProviderTokens, type UsageTotals } from "@threadfold/turn";
import { type StrategyWork, strategyWork } from "../events/freed-tokens.ts";
import type { RecallTotals } from "../unfold/unfolding.ts";
import type { SessionServices } from "./session-services.ts";

/** Statistics of a session. Tokens are the provider's, as far as its reports show how it counts. */
export interface SessionStats {
  /** Tokens of the request under the current plan. */
  readonly tokens: number;
  readonly budget: TokenBudget;
  readonly utilization: number;
  /** Tokens that messages may take before a fold is due. Negative if system text and tools alone exceed that. */
  readonly availableForMessages: number;
  readonly planVersion: number;
  /** False while automatic folding is off. */
  readonly autoCompaction: boolean;
  /** Number of plans committed for the thread, by any session. */
  readonly compactionCount: number;
  /** Number of messages in the thread, and how many of them the plan folds. */
  readonly messages: number;
  readonly foldedMessages: number;
  /** What each strategy does in the current plan, by name: messages that it folds, and tokens that this saves. */
  readonly strategies: Readonly<Record<string, StrategyWork>>;
  /** Tokens that the current plan removes from the request; its records may come from several folds. */
  readonly tokensFreed: number;
  /** Tokens of the request without any folding; messages that are only in the store count as they did when folded. */
  readonly unfoldedTokens: number;
  /** Number of live pins. */
  readonly pins: number;
  /** The model's token limit as learned from its refusals (S28); null while unknown. */
  readonly learnedLimit: number | null;
  /** Usage that the provider reported for this session's requests; `cacheHitRate` is that of its prompt cache. */
  readonly usage: UsageTotals;
  /**
   * Totals of this session's `search_thread` answers, and the token limit of one answer: a share of `maxInputTokens`.
   */
  readonly recall: RecallTotals & { readonly limitTokens: number };
}

/** Computes the statistics of a session as it is now. */
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
