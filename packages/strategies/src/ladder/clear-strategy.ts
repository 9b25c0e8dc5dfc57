import type { ClearTarget, MessageHeader } from "@threadfold/core";
import { durableProposals } from "../durability/durable-proposals.ts";
import {
  type CompactionProposal,
  type CompactionStrategy,
  PLACEHOLDER_TOKENS,
  type StrategyContext,
} from "../strategy/compaction-strategy.ts";

/**
 * Rung of clearing: empties old bodies (results, large arguments, reasoning, media) and keeps calls, ids, key fields
 * and the names in arguments. What a result's durability forbids to clear is externalized instead, or kept when it is
 * small or nothing is externalized: `non_replayable`, and `replayable` unless a check of its source finds it unchanged.
 */
export const clearStrategy: CompactionStrategy = {
  name: "clear",
  aggressiveness: 3,
  keepsMessages: true,
  analyze(context) {
    const proposals: CompactionProposal[] = [];
    const newestStep = newestStepOf(context);
    let freed = 0;
    for (const group of context.foldable) {
      for (const ordinal of group.ordinals) {
        if (freed >= context.needed) return proposals;
        if (context.heldBy(ordinal) !== undefined) continue;
        const proposal = proposeFor(context.shape.header(ordinal), context, group.index === newestStep);
        if (proposal === null) continue;
        freed += proposal.estimatedTokensFreed;
        proposals.push(proposal);
      }
    }
    return proposals;
  },
};

/** Group of what the assistant did last on the main branch: its reasoning has to go back with what answers it (W12). */
function newestStepOf({ shape }: StrategyContext): number | undefined {
  for (let ordinal = shape.length - 1; ordinal >= 0; ordinal--) {
    const { role, branch } = shape.header(ordinal);
    if (role === "assistant" && branch === undefined) return shape.groupOf(ordinal).index;
  }
  return undefined;
}

function proposeFor(header: MessageHeader, context: StrategyContext, isNewestStep: boolean): CompactionProposal | null {
  if (header.opaque) return null;
  if (header.role === "tool") return proposeResult(header, context);
  const targets = clearTargets(header).filter((target) => target !== "reasoning" || !isNewestStep);
  const freed = targets.reduce((sum, target) => sum + shareOf(header, target) - STANDS_IN[target], 0);
  if (freed <= 0) return null;
  return {
    action: "clear",
    strategy: "clear",
    ordinals: [header.ordinal],
    targets,
    ...(targets.includes("tool-input") && { keep: KEPT_OF_INPUT }),
    estimatedTokensFreed: freed,
    reason: `Old ${targets.map((target) => NAMES[target]).join(" and ")} of step ${header.step} ${targets.length > 1 ? "are" : "is"} emptied; calls, ids and names stay.`,
  };
}

/** What stands in place of each target, in tokens. For estimates only. */
const STANDS_IN: Readonly<Record<ClearTarget, number>> = {
  "tool-result": PLACEHOLDER_TOKENS,
  "tool-input": 3 * PLACEHOLDER_TOKENS,
  reasoning: 0,
  media: PLACEHOLDER_TOKENS / 2,
  text: PLACEHOLDER_TOKENS,
};

const NAMES: Readonly<Record<ClearTarget, string>> = {
  "tool-result": "result",
  "tool-input": "input",
  reasoning: "reasoning",
  media: "media",
  text: "text",
};

/** How a large argument begins says what it is. Its paths and identifiers stay next to it. In UTF-16 code units. */
const KEPT_OF_INPUT = Object.freeze({ headCharacters: 80, tailCharacters: 0 });

function proposeResult(header: MessageHeader, context: StrategyContext): CompactionProposal | null {
  const body = header.shares.toolResult;
  if (body <= 2 * PLACEHOLDER_TOKENS) return null;
  const proposal: CompactionProposal = {
    action: "clear",
    strategy: "clear",
    ordinals: [header.ordinal],
    targets: ["tool-result"],
    estimatedTokensFreed: body - PLACEHOLDER_TOKENS,
    reason: `The ${header.durability} result of ${header.toolName} is old; its key fields stay.`,
  };
  const verdictOf = context.replayVerdict ?? (() => "unverifiable");
  return durableProposals(proposal, context.shape, verdictOf, context.config)[0] ?? null;
}

/** Small inputs are the cheapest memory there is; only larger ones are emptied. In tokens. */
const LARGE_INPUT = 400;
/** Less reasoning is not worth a record. In tokens. */
const MIN_REASONING = 40;

function clearTargets(header: MessageHeader): readonly ClearTarget[] {
  const targets: ClearTarget[] = [];
  if (header.shares.toolInput >= LARGE_INPUT) targets.push("tool-input");
  if (header.shares.reasoning >= MIN_REASONING) targets.push("reasoning");
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
