import {
  type AgentThread,
  compactionConfig,
  emptyPlan,
  groupMessages,
  TokenLedger,
  threadShape,
} from "@threadfold/core";
import { agentThreads, countingTokenizer } from "@threadfold/core/laws";
import fc from "fast-check";
import { DraftPlan } from "../draft/draft-plan.ts";
import { foldableGroups } from "../draft/foldable-groups.ts";
import { unreadResults } from "../draft/unread-results.ts";
import { durabilityPolicy } from "../durability/durability-policy.ts";
import type { StrategyContext } from "../strategy/compaction-strategy.ts";

/**
 * Returns the context that a strategy sees for a thread.
 *
 * @param gone share of the foldable groups, starting with the oldest, that an earlier fold dropped; none by default.
 */
export function contextOf(thread: AgentThread, needed: number, recentTokens = 0, gone = 0): StrategyContext {
  const config = compactionConfig({ externalizeThresholdTokens: 120 });
  const ledger = TokenLedger.empty(countingTokenizer(), durabilityPolicy(config)).extend(thread);
  const grouped = groupMessages(ledger.headers);
  const shape = threadShape(thread, ledger, grouped);
  const draft = new DraftPlan(emptyPlan(thread.id, "test"), shape);
  const foldable = foldableGroups(shape, {
    recentTokens,
    recentTurns: 3,
    newestGroup: true,
    spared: unreadResults(shape),
  });
  for (const { ordinals } of foldable.slice(0, Math.floor(foldable.length * gone)))
    draft.choose({ action: "drop", strategy: "earlier", ordinals, estimatedTokensFreed: 1, reason: "an earlier fold" });
  return {
    shape,
    foldable,
    heldBy: (ordinal) => draft.heldBy(ordinal),
    renderedTokens: (header) => draft.renderedTokens(header),
    config,
    summaryMaxTokens: 200,
    needed,
    truncateTo: 40,
  };
}

/**
 * Generates contexts over random threads, including malformed ones. The tokens needed range from almost nothing to more
 * than a thread has; in half of the contexts an earlier fold has already dropped messages.
 */
export const strategyContexts: fc.Arbitrary<StrategyContext> = fc
  .tuple(
    agentThreads({ malformed: true }),
    fc.integer({ min: 1, max: 6_000 }),
    fc.integer({ min: 0, max: 400 }),
    fc.constantFrom(0, 0, 0.3, 0.7),
  )
  .map(([thread, needed, recentTokens, gone]) => contextOf(thread, needed, recentTokens, gone));
