import type { ClearTarget, MessageHeader } from "@threadfold/core";
import type { CompactionProposal } from "./compaction-proposal.ts";
import type { CompactionStrategy, StrategyContext } from "./compaction-strategy.ts";
import { PLACEHOLDER_TOKENS, POINTER_TOKENS } from "./placeholder-tokens.ts";

/**
 * Rung of clearing: empties old bodies and keeps calls, ids and key fields. What a result's durability forbids to clear
 * is externalized instead (`non_replayable`, and `replayable` as long as nothing verifies that its source is unchanged).
 */
export const clearStrategy: CompactionStrategy = {
  name: "clear",
  aggressiveness: 3,
  analyze(context) {
    const proposals: CompactionProposal[] = [];
    let freed = 0;
    for (const group of context.foldable) {
      for (const ordinal of group.ordinals) {
        if (freed >= context.needed) return proposals;
        if (context.heldBy(ordinal) !== undefined) continue;
        const proposal = proposeFor(context.shape.header(ordinal), context);
        if (proposal === null) continue;
        freed += proposal.estimatedTokensFreed;
        proposals.push(proposal);
      }
    }
    return proposals;
  },
};

function proposeFor(header: MessageHeader, context: StrategyContext): CompactionProposal | null {
  if (header.opaque) return null;
  if (header.role === "tool") return proposeResult(header);
  const targets = clearTargets(header);
  const cleared = targets.reduce((sum, target) => sum + shareOf(header, target), 0) - PLACEHOLDER_TOKENS;
  if (targets.length === 0 || cleared <= 0) return null;
  return {
    action: "clear",
    strategy: "clear",
    ordinals: [header.ordinal],
    targets,
    estimatedTokensFreed: cleared,
    reason: `Old ${targets.join(" and ")} of ${context.shape.header(header.ordinal).role} step ${header.step} is emptied; calls and ids stay.`,
  };
}

function proposeResult(header: MessageHeader): CompactionProposal | null {
  const body = header.shares.toolResult;
  const base = { ordinals: [header.ordinal], strategy: "clear" };
  if (header.durability === "non_replayable" || header.durability === "replayable") {
    if (body <= 2 * POINTER_TOKENS) return null;
    const why =
      header.durability === "replayable" ? "nothing verifies that its source is unchanged" : "it cannot be replayed";
    return {
      ...base,
      action: "externalize",
      estimatedTokensFreed: body - POINTER_TOKENS,
      reason: `The result of ${header.toolName} may not be cleared because ${why}; its body is in the artifact store.`,
    };
  }
  if (body <= 2 * PLACEHOLDER_TOKENS) return null;
  return {
    ...base,
    action: "clear",
    targets: ["tool-result"],
    estimatedTokensFreed: body - PLACEHOLDER_TOKENS,
    reason: `The ${header.durability} result of ${header.toolName} is old; its key fields stay.`,
  };
}

/** Small inputs are the cheapest memory there is; only large ones give way. In tokens. */
const LARGE_INPUT = 400;

function clearTargets(header: MessageHeader): readonly ClearTarget[] {
  const targets: ClearTarget[] = [];
  if (header.shares.toolInput >= LARGE_INPUT) targets.push("tool-input");
  if (header.shares.reasoning > 0) targets.push("reasoning");
  if (header.shares.media > 0) targets.push("media");
  return targets;
}

function shareOf(header: MessageHeader, target: ClearTarget): number {
  switch (target) {
    case "tool-input":
      return header.shares.toolInput;
    case "reasoning":
      return header.shares.reasoning;
    case "media":
      return header.shares.media;
    case "tool-result":
      return header.shares.toolResult;
    case "text":
      return header.shares.text;
  }
}
