import {
  type CompactionProposal,
  type CompactionStrategy,
  PLACEHOLDER_TOKENS,
  type StrategyContext,
} from "../strategy/compaction-strategy.ts";

/** OpenCode's figures: `PRUNE_PROTECT` and `PRUNE_MINIMUM`, in tokens of tool output. */
export interface PruneOptions {
  /** The amount of newest tool output that is never pruned. */
  readonly protectTokens: number;
  /** Nothing is pruned unless pruning takes out more than this. */
  readonly minimumTokens: number;
}

/**
 * Returns a strategy that clears tool output beyond the newest `protectTokens` of it, if that takes out more than
 * `minimumTokens` (OpenCode; S30, S31). Calls, ids and outcomes stay. Results that are already folded are not counted.
 */
export function pruneStrategy({ protectTokens, minimumTokens }: PruneOptions): CompactionStrategy {
  return {
    name: "prune",
    aggressiveness: 0,
    analyze(context) {
      const prunable = prunableResults(context, protectTokens);
      const output = prunable.reduce((sum, ordinal) => sum + context.shape.header(ordinal).shares.toolResult, 0);
      return output > minimumTokens ? prunable.map((ordinal) => propose(ordinal, protectTokens, context)) : [];
    },
  };
}

/** Results beyond the protected ones that are larger than a placeholder, oldest first. */
function prunableResults({ shape, foldable, heldBy }: StrategyContext, protectTokens: number): readonly number[] {
  const mayGo = new Set(foldable.flatMap((group) => group.ordinals));
  const prunable: number[] = [];
  let seen = 0;
  for (let ordinal = shape.length - 1; ordinal >= 0; ordinal--) {
    const { role, branch, shares } = shape.header(ordinal);
    if (role !== "tool" || branch !== undefined || heldBy(ordinal) !== undefined) continue;
    seen += shares.toolResult;
    if (seen > protectTokens && shares.toolResult > PLACEHOLDER_TOKENS && mayGo.has(ordinal)) prunable.push(ordinal);
  }
  return prunable.reverse();
}

function propose(ordinal: number, protectTokens: number, { shape }: StrategyContext): CompactionProposal {
  const { toolName, shares } = shape.header(ordinal);
  return {
    action: "clear",
    strategy: "prune",
    targets: ["tool-result"],
    ordinals: [ordinal],
    estimatedTokensFreed: shares.toolResult - PLACEHOLDER_TOKENS,
    reason: `The output of ${toolName} is older than the newest ${protectTokens} tokens of tool output.`,
  };
}
