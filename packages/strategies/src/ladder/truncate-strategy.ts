import type { MessageHeader } from "@threadfold/core";
import {
  AT_A_TIME,
  type CompactionProposal,
  type CompactionStrategy,
  interruptible,
} from "../strategy/compaction-strategy.ts";

/** The floor's own rung: cuts the middle out of any body that is still large, including recent results and texts. */
export const truncateStrategy: CompactionStrategy = {
  name: "truncate",
  aggressiveness: 5,
  keepsMessages: true,
  analyze: interruptible(function* (context) {
    const characters = context.truncateTo;
    if (characters === undefined) return [];
    const proposals: CompactionProposal[] = [];
    let seen = 0;
    for (const group of context.foldable) {
      for (const ordinal of group.ordinals) {
        if (++seen % AT_A_TIME === 0) yield;
        const header = context.shape.header(ordinal);
        const kept = Math.ceil(characters / 2) + 40;
        const body = header.shares.toolResult + header.shares.text + header.shares.toolInput;
        if (context.heldBy(ordinal) !== undefined || header.opaque || body <= kept) continue;
        proposals.push({
          action: "clear",
          strategy: "truncate",
          ordinals: [ordinal],
          targets: targetsOf(header),
          keep: { headCharacters: characters, tailCharacters: characters },
          estimatedTokensFreed: body - kept,
          reason: `The body takes ${body} tokens and the budget leaves no room for it; its beginning and end stay.`,
        });
      }
    }
    return proposals;
  }),
};

function targetsOf(header: MessageHeader): readonly ("tool-result" | "tool-input" | "reasoning" | "media" | "text")[] {
  if (header.role === "tool") return ["tool-result"];
  return header.role === "assistant" ? ["text", "tool-input", "reasoning", "media"] : ["text", "media"];
}
