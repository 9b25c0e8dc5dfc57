import { ThreadfoldError } from "@threadfold/core";
import { backToCall, type CutPoint, pastResults, realMessages, snapToTurnStart } from "./cut-point.ts";
import { oversizedTurn, suffixStart, tokenWindow } from "./token-suffix.ts";

function requireCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new ThreadfoldError("INVALID_CONFIG", `${name} is ${value}; it must be a whole number of at least 0.`);
}

/** Where the last so many messages begin: 0 when there are no more, the end of the thread when it is none. */
function lastMessagesStart(context: Parameters<CutPoint>[0], count: number): number {
  const messages = realMessages(context);
  return messages.length <= count ? 0 : (messages[messages.length - count]?.ordinal ?? context.shape.length);
}

/**
 * Keeps the last so many messages, from the next turn start on (seed 004, sliding window).
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

/** Keeps the last so many messages, cut before a call rather than before its results (seed 003). */
export function lastMessages(count: number): CutPoint {
  requireCount("recentMessagesToKeep", count);
  return (context) => backToCall(context.shape, lastMessagesStart(context, count));
}

/**
 * Keeps the last share of the messages; results of a call that is not kept go with it (seed 000).
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

/** Keeps the last so many whole turns (seed 004, turn window). */
export function lastTurns(count: number): CutPoint {
  requireCount("maxTurns", count);
  return (context) => {
    const starts = realMessages(context).filter((header) => header.startsTurn);
    return starts.length <= count ? 0 : (starts[starts.length - count]?.ordinal ?? context.shape.length);
  };
}

/**
 * Keeps the last so many model calls, each with its results. A run of an agent is often one endless turn; steps cut it
 * all the same (design section 4).
 */
export function lastSteps(count: number): CutPoint {
  requireCount("maxSteps", count);
  return (context) => {
    const calls = realMessages(context).filter((header) => header.role === "assistant");
    return calls.length <= count ? 0 : (calls[calls.length - count]?.ordinal ?? context.shape.length);
  };
}

/**
 * Keeps the longest unbroken suffix of at most so many tokens, what the summaries before it take already off, from the
 * next turn start on (seed 004, token count). It ends at the first message that does not fit, so that no gap breaks the
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
 * Keeps the longest suffix of at most so many tokens, wherever in a turn it begins, cut before a call rather than before
 * its results: what frameworks mean that keep the last so many tokens.
 */
export function lastTokens(tokens: number): CutPoint {
  requireCount("keepTokens", tokens);
  return (context) => backToCall(context.shape, suffixStart(context, tokenWindow(tokens, context)));
}

/**
 * Keeps about the last so many tokens, cut at a turn start; a turn that is larger than that alone is split, before an
 * assistant message and never before a tool result (seed 001; L20).
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

/** Keeps nothing: the whole history is folded (seed 001, Claude Code and Codex). */
export const nothing: CutPoint = ({ shape }) => shape.length;

/** What the summaries of earlier folds take, those of other tools included: seed 004 takes it off the budget first. */
function summaryTokens({ shape, heldBy, renderedTokens }: Parameters<CutPoint>[0]): number {
  let sum = 0;
  for (let ordinal = 0; ordinal < shape.length; ordinal++) {
    const header = shape.header(ordinal);
    const summarized = heldBy(ordinal)?.action === "summarize";
    if (header.branch === undefined && (summarized || header.origin === "compaction")) sum += renderedTokens(header);
  }
  return sum;
}
