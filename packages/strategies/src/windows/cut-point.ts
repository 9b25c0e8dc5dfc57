import type { MessageHeader, ThreadShape } from "@threadfold/core";
import type { StrategyContext } from "../ladder/compaction-strategy.ts";

/** Finds the first message that a window keeps. Everything foldable before it may go. */
export type CutPoint = (context: StrategyContext) => number;

/**
 * The messages that windows count: on the main branch, without system messages, without what a compaction wrote and
 * without what an earlier fold took out of the prompt, so that no window reaches across a former cut (seed 001).
 */
export function realMessages({ shape, heldBy }: StrategyContext): readonly MessageHeader[] {
  const messages: MessageHeader[] = [];
  for (let ordinal = 0; ordinal < shape.length; ordinal++) {
    const header = shape.header(ordinal);
    const action = heldBy(ordinal)?.action;
    if (header.branch !== undefined || header.role === "system" || header.origin === "compaction") continue;
    if (action !== "summarize" && action !== "drop") messages.push(header);
  }
  return messages;
}

/** Moves a cut forward to the next message that starts a turn (seed 004, `snapToTurnStart`); the end when there is none. */
export function snapToTurnStart(shape: ThreadShape, ordinal: number): number {
  for (let at = ordinal; at < shape.length; at++) if (shape.header(at).startsTurn) return at;
  return shape.length;
}

/** Moves a cut back off tool results to the call that they answer (seed 003, `adjustBoundaryForToolPairs`). */
export function backToCall(shape: ThreadShape, ordinal: number): number {
  let at = Math.min(ordinal, shape.length);
  while (at > 0 && at < shape.length && shape.header(at).role === "tool") at--;
  return at;
}

/** Moves a cut forward past the tool results of a call that stands before it (seed 000, `adjustSplitForToolPairs`; A12). */
export function pastResults(shape: ThreadShape, ordinal: number): number {
  let at = ordinal;
  while (at < shape.length && shape.header(at).role === "tool") at++;
  return at;
}
