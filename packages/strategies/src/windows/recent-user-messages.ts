import type { MessageGroup, MessageHeader } from "@threadfold/core";
import { newestUserOrdinal } from "../compactor/foldable-groups.ts";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import type { StrategyContext } from "../ladder/compaction-strategy.ts";
import { PLACEHOLDER_TOKENS } from "../ladder/placeholder-tokens.ts";
import { tokenWindow } from "./token-suffix.ts";

/** User messages that stay although the window does not reach them. */
export interface RecentUserMessages {
  readonly groups: ReadonlySet<MessageGroup>;
  /** Cuts the middle out of the one that fits in part. */
  readonly truncations: readonly CompactionProposal[];
}

/** A token is taken for so many characters: fewer than it mostly has, so that what is kept does fit. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * The newest user messages among the groups, up to so many tokens with the newest of all, which stays in any case (seed
 * 001, Codex). The first that does not fit is truncated with a marker to what is left (L7), and all older ones go.
 */
export function recentUserMessages(
  groups: readonly MessageGroup[],
  strategy: string,
  tokens: number,
  context: StrategyContext,
): RecentUserMessages {
  const kept = new Set<MessageGroup>();
  if (tokens === 0) return { groups: kept, truncations: [] };
  const newest = newestUserOrdinal(context.shape);
  let left = tokenWindow(tokens, context) - (newest < 0 ? 0 : context.renderedTokens(context.shape.header(newest)));
  for (const group of groups.toReversed()) {
    const header = context.shape.header(group.ordinals[0] as number);
    const action = context.heldBy(header.ordinal)?.action;
    if (!header.startsTurn || action === "summarize" || action === "drop") continue;
    const size = context.renderedTokens(header);
    if (size > left) {
      if (action !== undefined || left <= 2 * PLACEHOLDER_TOKENS) break;
      return { groups: kept.add(group), truncations: [truncation(header, strategy, left)] };
    }
    left -= size;
    kept.add(group);
  }
  return { groups: kept, truncations: [] };
}

function truncation(header: MessageHeader, strategy: string, tokens: number): CompactionProposal {
  const characters = Math.floor(((tokens - PLACEHOLDER_TOKENS) * CHARACTERS_PER_TOKEN) / 2);
  return {
    action: "clear",
    strategy,
    ordinals: [header.ordinal],
    targets: ["text"],
    keep: { headCharacters: characters, tailCharacters: characters },
    estimatedTokensFreed: header.tokens - tokens,
    reason: `Of this user message ${tokens} tokens fit into what is kept of user messages; its beginning and end stay.`,
  };
}
