import { type MessageHeader, roomTokens, ThreadfoldError, type ThreadShape } from "@threadfold/core";
import type { StrategyContext } from "../strategy/compaction-strategy.ts";

function requireCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new ThreadfoldError("INVALID_CONFIG", `${name} is ${value}; it must be a whole number of at least 0.`);
}

/** Where the last `count` messages begin: 0 when there are fewer, the end of the thread when `count` is 0. */
function lastMessagesStart(context: Parameters<CutPoint>[0], count: number): number {
  const messages = realMessages(context);
  return messages.length <= count ? 0 : (messages[messages.length - count]?.ordinal ?? context.shape.length);
}

/**
 * Keeps the last `count` messages, from the next turn start on (Spring AI Session's sliding window).
 *
 * @throws ThreadfoldError `INVALID_CONFIG`, as every cut that takes a count.
 */
export function lastMessagesFromTurnStart(count: number): CutPoint {
  requireCount("maxEvents", count);
  return (context) => {
    const start = lastMessagesStart(context, count);
    return start === 0 ? 0 : snapToTurnStart(context.shape, start);
  };
}

/** Keeps the last `count` messages, cut before a call rather than before its results (the AI SDK layer). */
export function lastMessages(count: number): CutPoint {
  requireCount("recentMessagesToKeep", count);
  return (context) => backToCall(context.shape, lastMessagesStart(context, count));
}

/**
 * Keeps the last share of the messages; results of a call that is not kept go with it (Goat).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the share is between 0 and 1.
 */
export function lastShareOfMessages(share: number): CutPoint {
  if (!(share > 0 && share < 1))
    throw new ThreadfoldError("INVALID_CONFIG", `The share is ${share}; it must be between 0 and 1.`);
  return (context) => {
    const kept = Math.floor(realMessages(context).length * share);
    return pastResults(context.shape, lastMessagesStart(context, kept));
  };
}

/** Keeps the last `count` whole turns (Spring AI Session's turn window). */
export function lastTurns(count: number): CutPoint {
  requireCount("maxTurns", count);
  return (context) => {
    const starts = realMessages(context).filter((header) => header.startsTurn);
    return starts.length <= count ? 0 : (starts[starts.length - count]?.ordinal ?? context.shape.length);
  };
}

/**
 * Keeps the last `count` model calls, each with its results. A run of an agent is often one endless turn; a window of
 * steps cuts it nevertheless.
 */
export function lastSteps(count: number): CutPoint {
  requireCount("maxSteps", count);
  return (context) => {
    const calls = realMessages(context).filter((header) => header.role === "assistant");
    return calls.length <= count ? 0 : (calls[calls.length - count]?.ordinal ?? context.shape.length);
  };
}

/**
 * Keeps the longest unbroken suffix of at most `tokens` less what the summaries before it take, from the next turn
 * start on (Spring AI Session's token count). It ends at the first message that does not fit, so that no gap breaks the
 * conversation (S22).
 */
export function lastTokensFromTurnStart(tokens: number): CutPoint {
  requireCount("maxTokens", tokens);
  return (context) => {
    const from = suffixStart(context, tokenWindow(tokens, context) - summaryTokens(context));
    return from === 0 ? 0 : snapToTurnStart(context.shape, from);
  };
}

/**
 * Keeps the longest suffix of at most `tokens`, wherever in a turn it begins, cut before a call rather than before its
 * results: as frameworks do that keep the last tokens.
 */
export function lastTokens(tokens: number): CutPoint {
  requireCount("keepTokens", tokens);
  return (context) => backToCall(context.shape, suffixStart(context, tokenWindow(tokens, context)));
}

/**
 * Keeps about the last `tokens`, cut at a turn start; a turn that is larger than that alone is split, before an
 * assistant message and never before a tool result (pi; L20).
 */
export function lastTokensSplittingTurns(tokens: number): CutPoint {
  requireCount("keepRecentTokens", tokens);
  return (context) => {
    const limit = tokenWindow(tokens, context);
    const from = suffixStart(context, limit);
    if (from === 0) return 0;
    return oversizedTurn(context, from, limit)
      ? pastResults(context.shape, from)
      : snapToTurnStart(context.shape, from);
  };
}

/**
 * Keeps about the last `tokens` in whole turns: cut at the next turn start, and where a single turn takes more than that, at
 * the start of this turn.
 */
export function lastTokensInWholeTurns(tokens: number): CutPoint {
  requireCount("keepRecentTokens", tokens);
  return (context) => {
    const limit = tokenWindow(tokens, context);
    const from = suffixStart(context, limit);
    if (from === 0) return 0;
    if (!oversizedTurn(context, from, limit)) return snapToTurnStart(context.shape, from);
    return realMessages(context).findLast(({ ordinal, startsTurn }) => startsTurn && ordinal <= from)?.ordinal ?? 0;
  };
}

/** Keeps nothing: the whole history is folded (Claude Code and Codex). */
export const nothing: CutPoint = ({ shape }) => shape.length;

/**
 * What the summaries of earlier folds take, those of other tools included: Spring AI Session takes it off the budget
 * first.
 */
function summaryTokens({ shape, heldBy, renderedTokens }: Parameters<CutPoint>[0]): number {
  let sum = 0;
  for (let ordinal = 0; ordinal < shape.length; ordinal = shape.after(ordinal)) {
    const header = shape.header(ordinal);
    const summarized = heldBy(ordinal)?.action === "summarize";
    if (header.branch === undefined && (summarized || header.origin === "compaction")) sum += renderedTokens(header);
  }
  return sum;
}

/** Finds the first message that a window keeps. Everything foldable before it may go. */
export type CutPoint = (context: StrategyContext) => number;

/**
 * The messages that windows count: on the main branch, without system messages, without what a compaction wrote and
 * without what an earlier fold took out of the prompt, so that no window reaches across a former cut.
 */
export function realMessages({ shape, heldBy }: StrategyContext): readonly MessageHeader[] {
  const messages: MessageHeader[] = [];
  for (let ordinal = 0; ordinal < shape.length; ordinal = shape.after(ordinal)) {
    const header = shape.header(ordinal);
    const action = heldBy(ordinal)?.action;
    if (header.branch !== undefined || header.role === "system" || header.origin === "compaction") continue;
    if (action !== "summarize" && action !== "drop") messages.push(header);
  }
  return messages;
}

/**
 * Moves a cut forward to the next message that starts a turn (Spring AI Session's `snapToTurnStart`); the end when
 * there is none.
 */
export function snapToTurnStart(shape: ThreadShape, ordinal: number): number {
  for (let at = ordinal; at < shape.length; at = shape.after(at)) if (shape.header(at).startsTurn) return at;
  return shape.length;
}

/** Moves a cut back off tool results to the call that they answer (the AI SDK layer's `adjustBoundaryForToolPairs`). */
export function backToCall(shape: ThreadShape, ordinal: number): number {
  let at = Math.min(ordinal, shape.length);
  while (at > 0 && at < shape.length && shape.header(at).role === "tool") at--;
  return at;
}

/**
 * Moves a cut forward past the tool results of a call that stands before it (Goat's `adjustSplitForToolPairs`; A12).
 */
export function pastResults(shape: ThreadShape, ordinal: number): number {
  let at = ordinal;
  while (at < shape.length && shape.header(at).role === "tool") at++;
  return at;
}

/**
 * How many tokens a window of `tokens` keeps: never more than half of the room, because what it folds needs room too.
 * The presets' figures are for windows of 100 000 tokens and more, where nothing changes.
 */
export function tokenWindow(tokens: number, { config }: StrategyContext): number {
  return Math.min(tokens, Math.floor(roomTokens(config) / 2));
}

/**
 * The first message of the longest suffix of at most this many tokens; 0 when everything fits, the end when nothing
 * does.
 */
function suffixStart(context: StrategyContext, tokens: number): number {
  let used = 0;
  let from = context.shape.length;
  for (const header of realMessages(context).toReversed()) {
    used += context.renderedTokens(header);
    if (used > tokens) return from;
    from = header.ordinal;
  }
  return 0;
}

/**
 * True when the turn in which a cut falls takes more than this many tokens, so that no cut at a turn start would keep
 * them.
 */
function oversizedTurn(context: StrategyContext, cut: number, tokens: number): boolean {
  const { shape, renderedTokens } = context;
  if (cut >= shape.length || shape.header(cut).startsTurn) return false;
  const { turn } = shape.header(cut);
  const ofTurn = realMessages(context).filter((header) => header.turn === turn);
  return ofTurn.reduce((sum, header) => sum + renderedTokens(header), 0) > tokens;
}
