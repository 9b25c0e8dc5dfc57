import { ThreadfoldError } from "@threadfold/core";
import { backToCall, type CutPoint, realMessages, snapToTurnStart } from "./cut-point.ts";

function requireCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new ThreadfoldError("INVALID_CONFIG", `${name} is ${value}; it must be a whole number of at least 0.`);
}

/** Keeps the last so many messages, from the next turn start on (seed 004, sliding window). */
export function lastMessagesFromTurnStart(count: number): CutPoint {
  requireCount("maxEvents", count);
  return (shape) => {
    const messages = realMessages(shape);
    return messages.length <= count
      ? 0
      : snapToTurnStart(shape, messages[messages.length - count]?.ordinal ?? shape.length);
  };
}

/** Keeps the last so many messages, cut before a call rather than before its results (seed 003). */
export function lastMessages(count: number): CutPoint {
  requireCount("recentMessagesToKeep", count);
  return (shape) => {
    const messages = realMessages(shape);
    return messages.length <= count ? 0 : backToCall(shape, messages[messages.length - count]?.ordinal ?? shape.length);
  };
}

/** Keeps the last share of the messages, cut before a call rather than before its results (seed 000). */
export function lastShareOfMessages(share: number): CutPoint {
  if (!(share > 0 && share < 1))
    throw new ThreadfoldError("INVALID_CONFIG", `The share is ${share}; it must be between 0 and 1.`);
  return (shape) => lastMessages(Math.floor(realMessages(shape).length * share))(shape);
}

/** Keeps the last so many whole turns (seed 004, turn window). What stands before the first turn stays (S23). */
export function lastTurns(count: number): CutPoint {
  requireCount("maxTurns", count);
  return (shape) => {
    const starts = realMessages(shape).filter((header) => header.startsTurn);
    return starts.length <= count ? 0 : (starts[starts.length - count]?.ordinal ?? shape.length);
  };
}

/**
 * Keeps the longest unbroken suffix of at most so many tokens, from the next turn start on (seed 004, token count). It
 * ends at the first message that does not fit, so that no gap breaks the conversation (S22).
 */
export function lastTokensFromTurnStart(tokens: number): CutPoint {
  requireCount("maxTokens", tokens);
  return (shape) => {
    const from = suffixStart(shape, tokens);
    return from === 0 ? 0 : snapToTurnStart(shape, from);
  };
}

/**
 * Keeps about the last so many tokens, cut at a turn start; inside a turn that is larger than that alone, cut before an
 * assistant message and never before a tool result (seed 001; L20, split turn).
 */
export function lastTokensSplittingTurns(tokens: number): CutPoint {
  requireCount("keepRecentTokens", tokens);
  return (shape) => {
    const from = suffixStart(shape, tokens);
    if (from === 0) return 0;
    const turnStart = snapToTurnStart(shape, from);
    return turnStart < shape.length ? turnStart : backToCall(shape, from);
  };
}

/** Keeps nothing: the whole history is folded (seed 001, Claude Code and Codex). */
export const nothing: CutPoint = (shape) => shape.length;

function suffixStart(shape: Parameters<CutPoint>[0], tokens: number): number {
  let used = 0;
  let from = shape.length;
  for (const header of realMessages(shape).toReversed()) {
    used += header.tokens;
    if (used > tokens) return from;
    from = header.ordinal;
  }
  return 0;
}
