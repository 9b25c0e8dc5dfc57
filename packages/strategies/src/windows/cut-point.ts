import type { MessageHeader, ThreadShape } from "@threadfold/core";

/** Finds the first message that a window keeps. Everything foldable before it may go. */
export type CutPoint = (shape: ThreadShape) => number;

/** The main branch without system messages and without what a compaction wrote: the events that windows count. */
export function realMessages(shape: ThreadShape): readonly MessageHeader[] {
  const messages: MessageHeader[] = [];
  for (let ordinal = 0; ordinal < shape.length; ordinal++) {
    const header = shape.header(ordinal);
    if (header.branch === undefined && header.role !== "system" && header.origin !== "compaction")
      messages.push(header);
  }
  return messages;
}

/** Moves a cut forward to the next message that starts a turn (seed 004, `snapToTurnStart`); the end when there is none. */
export function snapToTurnStart(shape: ThreadShape, ordinal: number): number {
  for (let at = ordinal; at < shape.length; at++) if (shape.header(at).startsTurn) return at;
  return shape.length;
}

/** Moves a cut back off tool results to the call that they answer (seeds 000 and 003, `adjustSplitForToolPairs`). */
export function backToCall(shape: ThreadShape, ordinal: number): number {
  let at = Math.min(ordinal, shape.length);
  while (at > 0 && at < shape.length && shape.header(at).role === "tool") at--;
  return at;
}
