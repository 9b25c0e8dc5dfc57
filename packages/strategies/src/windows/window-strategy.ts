import {
  checkArgument,
  checkOptions,
  lastOrdinal,
  type MessageGroup,
  type MessageHeader,
  type OptionKinds,
  type Steps,
} from "@threadfold/core";
import { newestUserOrdinal } from "../draft/foldable-groups.ts";
import { gatherInSteps, summarizeInSteps } from "../ladder/summarize-strategy.ts";
import {
  AT_A_TIME,
  type CompactionProposal,
  type CompactionStrategy,
  interruptible,
  PLACEHOLDER_TOKENS,
  type StrategyContext,
} from "../strategy/compaction-strategy.ts";
import { type CutPoint, firstTurnStart, realMessages, tokenWindow } from "./cut-points.ts";

/** Options of {@link windowStrategy}: what the window keeps, and how the rest is folded. */
export interface WindowOptions {
  /** Name of the strategy in plans and events. */
  readonly name: string;
  /** Finds where the window begins. */
  readonly cut: CutPoint;
  /** `summarize` replaces what is before the window with a summary. `drop` removes it; existing summaries stay. */
  readonly fold: "summarize" | "drop";
  /** Lower comes first in a ladder that sets no order of its own. 2 by default. */
  readonly aggressiveness?: number;
  /** Keep user messages before the cut, newest first, up to this many tokens (Codex). 0 by default. */
  readonly keepUserTokens?: number;
  /** True to have a single summary for all that is summarized, even if user messages stay in between. */
  readonly oneSummary?: boolean;
  /** True to keep everything before the first turn (Spring AI Session's turn window; S23). */
  readonly keepPreamble?: boolean;
  /** Number of kept messages that the summarizer sees in addition to what it summarizes (Spring AI Session). */
  readonly overlap?: number;
}

const OPTIONS: OptionKinds<WindowOptions> = {
  ...{ name: "any", cut: "any", fold: "any", aggressiveness: "any", overlap: "figure" },
  ...{ keepUserTokens: "figure", oneSummary: "flag", keepPreamble: "flag" },
};
const FOLDS: readonly WindowOptions["fold"][] = ["summarize", "drop"];

/**
 * Returns a strategy that keeps a window at the end of the thread and folds all groups before it, however few would do.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a name, a cut or a fold, or for an option that makes no sense.
 */
export function windowStrategy(options: WindowOptions): CompactionStrategy {
  checkOptions("options", options, OPTIONS);
  checkArgument("name", options.name, "name");
  checkArgument("cut", options.cut, "call");
  checkArgument("fold", options.fold, FOLDS);
  return {
    name: options.name,
    aggressiveness: options.aggressiveness ?? 2,
    ...(options.fold === "drop" && { leadsFloor: true }),
    analyze: interruptible(function* (context) {
      const cut = options.cut(context);
      yield;
      const from = options.keepPreamble === true ? firstTurnStart(context.shape) : 0;
      const before = context.foldable.filter(
        (group) => lastOrdinal(group) < cut && (group.ordinals[0] as number) >= from,
      );
      yield;
      if (options.fold === "drop") return yield* dropGroups(before, options.name, context);
      const kept = yield* recentUserMessages(before, options.name, options.keepUserTokens ?? 0, context);
      const folded = before.filter((group) => !kept.groups.has(group));
      const summarize = options.oneSummary === true ? gatherInSteps : summarizeInSteps;
      const summaries = yield* summarize(folded, options.name, context);
      return [...kept.truncations, ...withOverlap(summaries, cut, options.overlap ?? 0, context)];
    }),
  };
}

/** Adds the overlap to the last summary: only the last span borders on the window. */
function withOverlap(
  proposals: readonly CompactionProposal[],
  cut: number,
  count: number,
  context: StrategyContext,
): readonly CompactionProposal[] {
  const last = proposals.at(-1);
  if (last?.action !== "summarize" || count === 0) return proposals;
  const overlap = realMessages(context)
    .map((header) => header.ordinal)
    .filter((ordinal) => ordinal >= cut)
    .slice(0, count);
  return [...proposals.slice(0, -1), { ...last, overlap }];
}

function* dropGroups(
  groups: readonly MessageGroup[],
  strategy: string,
  context: StrategyContext,
): Steps<readonly CompactionProposal[]> {
  const proposals: CompactionProposal[] = [];
  for (const [index, { ordinals }] of groups.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    if (ordinals.some((ordinal) => isSummaryOrGone(ordinal, context))) continue;
    proposals.push({
      action: "drop",
      strategy,
      ordinals,
      estimatedTokensFreed: ordinals.reduce(
        (sum, ordinal) => sum + context.renderedTokens(context.shape.header(ordinal)),
        0,
      ),
      reason: "The group is older than the window that is kept.",
    });
  }
  return proposals;
}

function isSummaryOrGone(ordinal: number, { shape, heldBy }: StrategyContext): boolean {
  const action = heldBy(ordinal)?.action;
  return action === "drop" || action === "summarize" || shape.header(ordinal).origin === "compaction";
}

/** User messages that stay although they are before the window. */
interface RecentUserMessages {
  readonly groups: ReadonlySet<MessageGroup>;
  /** A proposal that cuts the middle out of the message that fits only in part; empty when there is none. */
  readonly truncations: readonly CompactionProposal[];
}

/** Characters assumed per token: fewer than most tokens have, so that what is kept does fit. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * The newest user messages in the groups, up to `tokens` including the newest of all, which always stays (Codex). The
 * first that does not fit is truncated, with a marker, to the tokens left (L7), and all older ones go.
 */
function* recentUserMessages(
  groups: readonly MessageGroup[],
  strategy: string,
  tokens: number,
  context: StrategyContext,
): Steps<RecentUserMessages> {
  const kept = new Set<MessageGroup>();
  if (tokens === 0) return { groups: kept, truncations: [] };
  const newest = newestUserOrdinal(context.shape);
  let left = tokenWindow(tokens, context) - (newest < 0 ? 0 : context.renderedTokens(context.shape.header(newest)));
  for (const [index, group] of groups.toReversed().entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
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
    reason: `Only ${tokens} tokens of this user message fit into the room for kept user messages; its beginning and end stay.`,
  };
}
