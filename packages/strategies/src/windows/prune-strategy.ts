import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import type { CompactionStrategy, StrategyContext } from "../ladder/compaction-strategy.ts";
import { PLACEHOLDER_TOKENS } from "../ladder/placeholder-tokens.ts";

/** OpenCode's figures (seed 001): `PRUNE_PROTECT` and `PRUNE_MINIMUM`, in tokens of tool output. */
export interface PruneOptions {
  /** The newest tool output that is never pruned. */
  readonly protectTokens: number;
  /** Nothing is pruned unless at least so much can be. */
  readonly minimumTokens: number;
}

/**
 * Clears tool output beyond the newest `protectTokens` of it, if that frees at least `minimumTokens` (seed 001, OpenCode;
 * S30, S31). Calls, ids and outcomes stay. What is already folded counts as pruned and is not counted twice.
 */
export function pruneStrategy({ protectTokens, minimumTokens }: PruneOptions): CompactionStrategy {
  return {
    name: "prune",
    aggressiveness: 0,
    analyze(context) {
      const prunable = prunableResults(context, protectTokens);
      const total = prunable.reduce((sum, proposal) => sum + proposal.estimatedTokensFreed, 0);
      return total >= minimumTokens ? prunable : [];
    },
  };
}

function prunableResults(context: StrategyContext, protectTokens: number): readonly CompactionProposal[] {
  const foldable = new Set(context.foldable.flatMap((group) => group.ordinals));
  const proposals: CompactionProposal[] = [];
  let seen = 0;
  for (let ordinal = context.shape.length - 1; ordinal >= 0; ordinal--) {
    const header = context.shape.header(ordinal);
    if (header.role !== "tool" || header.branch !== undefined || context.heldBy(ordinal) !== undefined) continue;
    seen += header.shares.toolResult;
    const freed = header.shares.toolResult - PLACEHOLDER_TOKENS;
    if (seen <= protectTokens || freed <= 0 || !foldable.has(ordinal)) continue;
    proposals.push({
      action: "clear",
      strategy: "prune",
      targets: ["tool-result"],
      ordinals: [ordinal],
      estimatedTokensFreed: freed,
      reason: `The output of ${header.toolName} is older than the newest ${protectTokens} tokens of tool output.`,
    });
  }
  return proposals.reverse();
}
