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
import { DraftPlan } from "../compactor/draft-plan.ts";
import { foldableGroups } from "../compactor/foldable-groups.ts";
import { unreadResults } from "../compactor/unread-results.ts";
import { durabilityPolicy } from "../durability/durability-policy.ts";
import type { StrategyContext } from "../ladder/compaction-strategy.ts";

/** The context that a strategy sees of a thread that was never folded. */
export function contextOf(thread: AgentThread, needed: number, recentTokens = 0): StrategyContext {
  const config = compactionConfig({ externalizeThresholdTokens: 120 });
  const ledger = TokenLedger.empty(countingTokenizer(), durabilityPolicy(config)).extend(thread);
  const grouped = groupMessages(ledger.headers);
  const shape = threadShape(thread, ledger, grouped);
  const draft = new DraftPlan(emptyPlan(thread.id, "test"), shape);
  return {
    shape,
    foldable: foldableGroups(grouped, shape, {
      recentTokens,
      recentTurns: 3,
      newestGroup: true,
      spared: unreadResults(shape),
    }),
    heldBy: (ordinal) => draft.heldBy(ordinal),
    renderedTokens: (header) => draft.renderedTokens(header),
    config,
    summaryMaxTokens: 200,
    needed,
    truncateTo: 40,
  };
}

/** Contexts over random threads, malformed ones included, with a need between nothing and more than there is. */
export const strategyContexts: fc.Arbitrary<StrategyContext> = fc
  .tuple(agentThreads({ malformed: true }), fc.integer({ min: 1, max: 6_000 }), fc.integer({ min: 0, max: 400 }))
  .map(([thread, needed, recentTokens]) => contextOf(thread, needed, recentTokens));
