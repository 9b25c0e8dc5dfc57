import type { MessageHeader, ToolDurability } from "@threadfold/core";
import { isRetrieval, toolOverride } from "../durability/durability-policy.ts";
import {
  AT_A_TIME,
  type CompactionProposal,
  type CompactionStrategy,
  interruptible,
  POINTER_TOKENS,
  pointerTokens,
  type StrategyContext,
} from "../strategy/compaction-strategy.ts";

/**
 * Rung 1: moves large bodies to the artifact store and leaves a pointer in their place. A tool result stays a result of
 * its call; text that a user pasted stays the user's message. Bodies up to the threshold are left to the other rungs,
 * and so are the results of retrieval tools, which are already in the store (S41).
 */
export const externalizeStrategy: CompactionStrategy = {
  name: "externalize",
  aggressiveness: 1,
  keepsMessages: true,
  analyze: interruptible(function* (context) {
    const proposals: CompactionProposal[] = [];
    let [freed, seen] = [0, 0];
    for (const group of context.foldable) {
      for (const ordinal of group.ordinals) {
        if (freed >= context.needed) return proposals;
        if (++seen % AT_A_TIME === 0) yield;
        const header = context.shape.header(ordinal);
        if (context.heldBy(ordinal) !== undefined || !isLarge(header, context)) continue;
        const proposal = propose(header);
        freed += proposal.estimatedTokensFreed;
        proposals.push(proposal);
      }
    }
    return proposals;
  }),
};

const CAN_BE_HAD_AGAIN: readonly (ToolDurability | undefined)[] = ["ephemeral", "replayable"];

function isLarge(header: MessageHeader, { config }: StrategyContext): boolean {
  if (header.opaque || isRetrieval(header.toolName)) return false;
  const policy = header.toolName === undefined ? undefined : toolOverride(config, header.toolName);
  if (policy?.replayCost === "free" && CAN_BE_HAD_AGAIN.includes(header.durability)) return false;
  const threshold = policy?.externalizeThresholdTokens ?? config.externalizeThresholdTokens;
  if (header.role === "tool") return header.shares.toolResult > Math.max(threshold, POINTER_TOKENS);
  return header.role === "user" && header.shares.text > Math.max(4 * threshold, POINTER_TOKENS);
}

function propose(header: MessageHeader): CompactionProposal {
  const body = header.role === "tool" ? header.shares.toolResult : header.shares.text;
  const what = header.role === "tool" ? `result of ${header.toolName}` : `${header.role} message`;
  return {
    action: "externalize",
    strategy: "externalize",
    ordinals: [header.ordinal],
    estimatedTokensFreed: body - pointerTokens(body),
    reason: `The ${what} takes ${body} tokens; its body is in the artifact store.`,
  };
}
