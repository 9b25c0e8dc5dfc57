import type { MessageInput } from "../model/message.ts";

/** Where in a conversation a message stands. */
export interface ThreadPosition {
  /** Real user messages of the main branch so far. 0 before the first one. */
  readonly turn: number;
  /** Model calls so far: one for each assistant message. */
  readonly step: number;
}

export const START_OF_THREAD: ThreadPosition = Object.freeze({ turn: 0, step: 0 });

/** Says whether a message starts a turn: a user message of the main branch that somebody typed (S3). */
export function startsTurn(message: MessageInput): boolean {
  return message.role === "user" && message.origin === undefined && message.branch === undefined;
}

/** The position of a message that follows `before`. */
export function placeMessage(before: ThreadPosition, message: MessageInput): ThreadPosition {
  if (message.role === "assistant") return { turn: before.turn, step: before.step + 1 };
  return startsTurn(message) ? { turn: before.turn + 1, step: before.step } : before;
}
