import type { ClearTarget, MessageHeader } from "@threadfold/core";
import { durableProposals } from "../durability/durability-policy.ts";
import {
  AT_A_TIME,
  type CompactionProposal,
  type CompactionStrategy,
  interruptible,
  PLACEHOLDER_TOKENS,
  type StrategyContext,
} from "../strategy/compaction-strategy.ts";

/**
 * The clearing rung: empties old bodies (results, large arguments, reasoning, media) and keeps calls, ids, key fields
 * and the names in arguments. A result whose durability forbids clearing (`non_replayable`, and `replayable` unless a
 * check finds its source unchanged) is externalized instead, or kept when it is small or externalization is off.
 */
export const clearStrategy: CompactionStrategy = {
  name: "clear",
  aggressiveness: 3,
  keepsMessages: true,
  analyze: interruptible(function* (context) {
    const proposals: CompactionProposal[] = [];
    const newestStep = newestStepOf(context);
    let [freed, seen] = [0, 0];
    for (const group of context.foldable) {
      for (const ordinal of group.ordinals) {
        if (freed >= context.needed) return proposals;
        if (++seen % AT_A_TIME === 0) yield;
        if (context.heldBy(ordinal) !== undefined) continue;
        const proposal = proposeFor(context.shape.header(ordinal), context, group.index === newestStep);
        if (proposal === null) continue;
        freed += proposal.estimatedTokensFreed;
        proposals.push(proposal);
      }
    }
    return proposals;
  }),
};

/** Group of the last assistant message on the main branch: its reasoning must be sent back with the results (W12). */
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

/** Tokens of what replaces each target. For estimates only. */
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

/** In UTF-16 code units. The beginning of a large argument shows what it is; its paths and identifiers are kept too. */
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

/** Only inputs of at least this many tokens are emptied: small ones are the cheapest memory there is. */
const LARGE_INPUT = 400;
/** Reasoning of fewer tokens is not worth a record. */
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
