import { lastOrdinal, type MessageGroup } from "@threadfold/core";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import type { CompactionStrategy, StrategyContext } from "../ladder/compaction-strategy.ts";
import { summarizeGroups } from "../ladder/summarize-strategy.ts";
import type { CutPoint } from "./cut-point.ts";

/** How a window treats what it does not keep. */
export interface WindowOptions {
  readonly name: string;
  readonly cut: CutPoint;
  /** `summarize`: one summary stands for it. `drop`: it leaves the prompt. */
  readonly fold: "summarize" | "drop";
  readonly aggressiveness?: number;
  /** User messages before the cut that stay all the same, newest first, up to so many tokens (seed 001, Codex). */
  readonly keepUserTokens?: number;
}

/** A strategy that keeps a window at the end of the thread and folds all whole groups before it, whatever is needed. */
export function windowStrategy(options: WindowOptions): CompactionStrategy {
  return {
    name: options.name,
    aggressiveness: options.aggressiveness ?? 2,
    analyze(context) {
      const cut = options.cut(context.shape);
      const before = context.foldable.filter((group) => lastOrdinal(group) < cut);
      const groups = withoutRecentUserMessages(before, context, options.keepUserTokens ?? 0);
      return options.fold === "drop"
        ? dropGroups(groups, options.name, context)
        : summarizeGroups(groups, options.name, context);
    },
  };
}

function withoutRecentUserMessages(
  groups: readonly MessageGroup[],
  { shape }: StrategyContext,
  keepTokens: number,
): readonly MessageGroup[] {
  let left = keepTokens;
  const kept = new Set<MessageGroup>();
  for (const group of groups.toReversed()) {
    const header = shape.header(group.ordinals[0] as number);
    if (!header.startsTurn) continue;
    left -= group.tokens;
    if (left < 0) break;
    kept.add(group);
  }
  return kept.size === 0 ? groups : groups.filter((group) => !kept.has(group));
}

function dropGroups(
  groups: readonly MessageGroup[],
  strategy: string,
  context: StrategyContext,
): readonly CompactionProposal[] {
  return groups
    .filter((group) => !group.ordinals.some((ordinal) => context.heldBy(ordinal)?.action === "drop"))
    .map((group) => ({
      action: "drop",
      strategy,
      ordinals: group.ordinals,
      estimatedTokensFreed: group.ordinals.reduce(
        (sum, ordinal) => sum + context.renderedTokens(context.shape.header(ordinal)),
        0,
      ),
      reason: "The group is older than the window that is kept.",
    }));
}
