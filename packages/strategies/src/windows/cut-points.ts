import { type MessageHeader, roomTokens, ThreadfoldError, type ThreadShape } from "@threadfold/core";
import type { StrategyContext } from "../strategy/compaction-strategy.ts";

function requireCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new ThreadfoldError("INVALID_CONFIG", `${name} is ${value}; it must be a whole number of at least 0.`);
}

/**
 * Where the last `count` messages begin: 0 when there are no more than that, the end of the thread when `count` is 0.
 */
const lastMessagesStart = (context: StrategyContext, count: number): number => lastStart(context, count, () => true);

/** Where the last `count` messages of a kind begin; 0 and the end of the thread as above. Looks no further back. */
function lastStart(context: StrategyContext, count: number, counts: (header: MessageHeader) => boolean): number {
  let [seen, start] = [0, context.shape.length];
  for (const header of newestFirst(context)) {
    if (!counts(header)) continue;
    if (++seen > count) return start;
    start = header.ordinal;
  }
  return 0;
}

/**
 * Keeps the last `count` messages, from the next turn start on (Spring AI Session's sliding window).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the count is not a whole number of at least 0, as do the other cuts.
 */
export function lastMessagesFromTurnStart(count: number): CutPoint {
  requireCount("maxEvents", count);
  return (context) => {
    const start = lastMessagesStart(context, count);
    return start === 0 ? 0 : snapToTurnStart(context, start);
  };
}

/** Keeps the last `count` messages, cut before a call rather than before its results (the AI SDK layer). */
export function lastMessages(count: number): CutPoint {
  requireCount("recentMessagesToKeep", count);
  return (context) => backToCall(context.shape, lastMessagesStart(context, count));
}

/**
 * Keeps the newest messages, as this share of all; the results of a call that is not kept go with it (Goat).
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
  return (context) => lastStart(context, count, (header) => header.startsTurn);
}

/**
 * Keeps the last `count` model calls, each with its results. An agent's run is often one endless turn; a window of
 * steps can still cut it.
 */
export function lastSteps(count: number): CutPoint {
  requireCount("maxSteps", count);
  return (context) => lastStart(context, count, (header) => header.role === "assistant");
}

/**
 * Keeps the longest unbroken suffix of at most `tokens` minus the tokens of the summaries before it, from the next turn
 * start on (Spring AI Session's token count). Going back, it stops at the first message that does not fit, so that the
 * conversation has no gap (S22).
 */
export function lastTokensFromTurnStart(tokens: number): CutPoint {
  requireCount("maxTokens", tokens);
  return (context) => {
    const from = suffixStart(context, tokenWindow(tokens, context) - summaryTokens(context));
    return from === 0 ? 0 : snapToTurnStart(context, from);
  };
}

/**
 * Keeps the longest suffix of at most `tokens`, wherever in a turn it begins, cut before a call rather than before its
 * results. This is what frameworks with a "keep the last tokens" setting do.
 */
export function lastTokens(tokens: number): CutPoint {
  requireCount("keepTokens", tokens);
  return (context) => backToCall(context.shape, suffixStart(context, tokenWindow(tokens, context)));
}

/**
 * Keeps about the last `tokens`, cut at a turn start. A single turn larger than that is split, before an assistant
 * message and never before a tool result (pi; L20).
 */
export function lastTokensSplittingTurns(tokens: number): CutPoint {
  requireCount("keepRecentTokens", tokens);
  return (context) => {
    const limit = tokenWindow(tokens, context);
    const from = suffixStart(context, limit);
    if (from === 0) return 0;
    return oversizedTurn(context, from, limit) ? pastResults(context.shape, from) : snapToTurnStart(context, from);
  };
}

/**
 * Keeps about the last `tokens` in whole turns: cut at the next turn start or, when a single turn takes more than that,
 * at the start of that turn.
 */
export function lastTokensInWholeTurns(tokens: number): CutPoint {
  requireCount("keepRecentTokens", tokens);
  return (context) => {
    const limit = tokenWindow(tokens, context);
    const from = suffixStart(context, limit);
    if (from === 0) return 0;
    if (!oversizedTurn(context, from, limit)) return snapToTurnStart(context, from);
    for (const { ordinal, startsTurn } of newestFirst(context)) if (startsTurn && ordinal <= from) return ordinal;
    return 0;
  };
}

/** Keeps nothing: the whole history is folded (Claude Code and Codex). */
export const nothing: CutPoint = ({ shape }) => shape.length;

/**
 * Tokens of the summaries of earlier folds, including those of other tools. Spring AI Session subtracts them from the
 * budget first.
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

/** Returns the ordinal of the first message that a window keeps. Everything foldable before it may be folded. */
export type CutPoint = (context: StrategyContext) => number;

/**
 * Returns the messages that windows count: those on the main branch, except system messages, summaries written by a
 * compaction, and messages that an earlier fold took out of the prompt. No window thus reaches across an earlier cut.
 */
export const realMessages = (context: StrategyContext): readonly MessageHeader[] => [...newestFirst(context)].reverse();

/** Walks back through {@link realMessages}: most windows need only those at the end, however long the thread is. */
function* newestFirst(context: StrategyContext): Iterable<MessageHeader> {
  const { shape } = context;
  for (let ordinal = shape.length - 1; ordinal >= 0; ordinal = shape.before(ordinal)) {
    const header = shape.header(ordinal);
    if (header.branch !== undefined || header.role === "system" || header.origin === "compaction") continue;
    if (!isTakenOut(ordinal, context)) yield header;
  }
}

/** Checks whether an earlier fold took a message out of the prompt. */
function isTakenOut(ordinal: number, { heldBy }: StrategyContext): boolean {
  const hold = heldBy(ordinal);
  if (hold?.action === "summarize" || hold?.action === "drop") return true;
  return hold?.action === "externalize" && "form" in hold && hold.form === "span";
}

/**
 * Moves a cut forward to the next message that starts a turn (Spring AI Session's `snapToTurnStart`), or to the end of
 * the thread when there is none. A message that an earlier fold took out of the prompt does not count, so that no cut
 * falls inside a summary.
 */
export function snapToTurnStart(context: StrategyContext, ordinal: number): number {
  const { shape } = context;
  for (let at = ordinal; at < shape.length; at = shape.after(at))
    if (shape.header(at).startsTurn && !isTakenOut(at, context)) return at;
  return shape.length;
}

/** Where the first turn starts; the end of the thread when it has none. */
export function firstTurnStart(shape: ThreadShape): number {
  for (let at = 0; at < shape.length; at = shape.after(at)) if (shape.header(at).startsTurn) return at;
  return shape.length;
}

/**
 * Moves a cut back from tool results to the call that they answer (the AI SDK layer's `adjustBoundaryForToolPairs`).
 */
export function backToCall(shape: ThreadShape, ordinal: number): number {
  let at = Math.min(ordinal, shape.length);
  while (at > 0 && at < shape.length && shape.header(at).role === "tool") at--;
  return at;
}

/** Moves a cut forward past the tool results of a call that comes before it (Goat's `adjustSplitForToolPairs`; A12). */
export function pastResults(shape: ThreadShape, ordinal: number): number {
  let at = ordinal;
  while (at < shape.length && shape.header(at).role === "tool") at++;
  return at;
}

/**
 * Caps the size of a window, in tokens, at half of the room, because what it folds needs room too. The presets' figures
 * are meant for context windows of 100 000 tokens and more, where this changes nothing.
 */
export function tokenWindow(tokens: number, { config }: StrategyContext): number {
  return Math.min(tokens, Math.floor(roomTokens(config) / 2));
}

/**
 * The ordinal of the first message of the longest suffix of at most this many tokens; 0 when everything fits, the end
 * of the thread when nothing does.
 */
function suffixStart(context: StrategyContext, tokens: number): number {
  let used = 0;
  let from = context.shape.length;
  for (const header of newestFirst(context)) {
    used += context.renderedTokens(header);
    if (used > tokens) return from;
    from = header.ordinal;
  }
  return 0;
}

/**
 * True when a cut falls inside a turn of more than this many tokens, so that no cut at a turn start would keep them.
 */
function oversizedTurn(context: StrategyContext, cut: number, tokens: number): boolean {
  const { shape, renderedTokens } = context;
  if (cut >= shape.length || shape.header(cut).startsTurn) return false;
  const { turn } = shape.header(cut);
  let sum = 0;
  for (const header of newestFirst(context)) {
    if (header.turn < turn) break;
    if (header.turn === turn) sum += renderedTokens(header);
  }
  return sum > tokens;
}
