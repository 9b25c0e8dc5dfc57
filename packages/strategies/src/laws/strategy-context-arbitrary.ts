import {
  type AgentThread,
  compactionConfig,
  emptyPlan,
  groupMessages,
  type MessageGroup,
  type ProbeVerdict,
  type ThreadShape,
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

/** The threads of the shapes that were made here. A strategy that makes its own records is given their messages. */
const threads = new WeakMap<ThreadShape, AgentThread>();

/** Returns the thread that a context was made for by {@link contextOf}; undefined for a context from elsewhere. */
export const threadOf = ({ shape }: StrategyContext): AgentThread | undefined => threads.get(shape);

const EARLIER = { strategy: "earlier", estimatedTokensFreed: 1, reason: "an earlier fold" } as const;

/** The messages of a share of the groups, starting with the oldest. */
const emptiedBy = (groups: readonly MessageGroup[], share: number): readonly number[] =>
  groups.slice(0, Math.floor(groups.length * share)).flatMap(({ ordinals }) => ordinals);

/**
 * Returns the context that a strategy sees for a thread.
 *
 * @param gone share of the foldable groups, starting with the oldest, that an earlier fold dropped; none by default.
 * @param emptied share of them whose results an earlier fold emptied, unless it dropped them; none by default.
 */
export function contextOf(
  thread: AgentThread,
  needed: number,
  recentTokens = 0,
  gone = 0,
  emptied = 0,
): StrategyContext {
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
    draft.choose({ ...EARLIER, action: "drop", ordinals });
  for (const ordinal of emptiedBy(foldable, emptied))
    if (draft.heldBy(ordinal) === undefined && shape.header(ordinal).shares.toolResult > 0)
      draft.choose({ ...EARLIER, action: "clear", targets: ["tool-result"], ordinals: [ordinal] });
  threads.set(shape, thread);
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
 * than a thread has, and are infinite for a fold that wants all; in half of the contexts an earlier fold has already
 * dropped messages, and in half it emptied results. In some, summaries may take nothing and nothing is truncated, as in
 * the attempts of a fold.
 */
export const strategyContexts: fc.Arbitrary<StrategyContext> = fc
  .tuple(
    agentThreads({ malformed: true }),
    fc.integer({ min: 1, max: 6_000 }),
    fc.integer({ min: 0, max: 400 }),
    fc.constantFrom(0, 0, 0.3, 0.7),
    fc.constantFrom(0, 0, 0.5, 1),
    fc.constantFrom<Attempt>({}, {}, { needed: Number.POSITIVE_INFINITY }, { summaryMaxTokens: 0 }),
    fc.boolean(),
    fc.constantFrom<ProbeVerdict | null>(null, "matches", "changed", "unverifiable"),
  )
  .map(([thread, needed, recentTokens, gone, emptied, attempt, truncates, verdict]) => {
    const { truncateTo, ...context } = contextOf(thread, needed, recentTokens, gone, emptied);
    return {
      ...context,
      ...attempt,
      ...(truncates && truncateTo !== undefined && { truncateTo }),
      ...(verdict !== null && { replayVerdict: () => verdict }),
    };
  });

type Attempt = Partial<Pick<StrategyContext, "needed" | "summaryMaxTokens">>;
