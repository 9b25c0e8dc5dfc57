import { checkArgument, checkOptions, OrdinalMap, type Steps } from "@threadfold/core";
import {
  AT_A_TIME,
  type CompactionProposal,
  type CompactionStrategy,
  interruptible,
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
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless both are numbers of at least 0.
 */
export function pruneStrategy(options: PruneOptions): CompactionStrategy {
  checkOptions("options", options, { protectTokens: "any", minimumTokens: "any" });
  const { protectTokens, minimumTokens } = options;
  checkArgument("protectTokens", protectTokens, "figure");
  checkArgument("minimumTokens", minimumTokens, "figure");
  return {
    name: "prune",
    aggressiveness: 0,
    analyze: interruptible(function* (context) {
      const proposals: CompactionProposal[] = [];
      let output = 0;
      for (const ordinal of yield* prunableResults(context, protectTokens)) {
        output += context.shape.header(ordinal).shares.toolResult;
        if (proposals.push(propose(ordinal, protectTokens, context)) % AT_A_TIME === 0) yield;
      }
      return output > minimumTokens ? proposals : [];
    }),
  };
}

/** Results beyond the protected ones that are larger than a placeholder, oldest first. */
function* prunableResults(
  { shape, foldable, heldBy }: StrategyContext,
  protectTokens: number,
): Steps<readonly number[]> {
  const mayGo = new OrdinalMap<true>();
  for (const [index, { ordinals }] of foldable.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    for (const ordinal of ordinals) mayGo.set(ordinal, true);
  }
  const prunable: number[] = [];
  let seen = 0;
  for (let ordinal = shape.length - 1; ordinal >= 0; ordinal--) {
    if (ordinal % AT_A_TIME === 0) yield;
    const { role, branch, shares } = shape.header(ordinal);
    if (role !== "tool" || branch !== undefined || heldBy(ordinal) !== undefined) continue;
    seen += shares.toolResult;
    if (seen > protectTokens && shares.toolResult > PLACEHOLDER_TOKENS && mayGo.get(ordinal) === true)
      prunable.push(ordinal);
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
