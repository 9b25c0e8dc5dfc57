import {
  AT_A_TIME,
  type CompactionProposal,
  type CompactionStrategy,
  type Hold,
  interruptible,
} from "../strategy/compaction-strategy.ts";

/** True for what is already summarized or dropped: dropping it would free next to nothing. */
const isGone = (hold: Hold | undefined): boolean => hold?.action === "drop" || hold?.action === "summarize";

/** The last rung: drops as many of the oldest groups from the prompt as needed, whole. They stay in the thread. */
export const dropStrategy: CompactionStrategy = {
  name: "drop",
  aggressiveness: 4,
  analyze: interruptible(function* (context) {
    const proposals: CompactionProposal[] = [];
    let freed = 0;
    for (const [index, group] of context.foldable.entries()) {
      if (freed >= context.needed) break;
      if (index % AT_A_TIME === AT_A_TIME - 1) yield;
      const tokens = group.ordinals.reduce(
        (sum, ordinal) => sum + context.renderedTokens(context.shape.header(ordinal)),
        0,
      );
      if (group.ordinals.some((ordinal) => isGone(context.heldBy(ordinal)))) continue;
      freed += tokens;
      proposals.push({
        action: "drop",
        strategy: "drop",
        ordinals: group.ordinals,
        estimatedTokensFreed: tokens,
        reason: "The oldest groups left the prompt because nothing gentler freed enough.",
      });
    }
    return proposals;
  }),
};
