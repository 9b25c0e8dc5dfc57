import type { Message } from "@threadfold/core";
import { pieceText } from "../policy/prompt-piece.ts";
import type { PromptPiece } from "../policy/prompt-policy.ts";

/** So much of a message's beginning or end tells that it is there, in characters. */
const TELLING = 80;

/** True when a prompt holds a message, or the beginning or the end of one that had to be cut. */
export function showsMessage(prompt: readonly PromptPiece[], message: Message): boolean {
  const text = pieceText(message).trim();
  const head = text.slice(0, TELLING);
  const tail = text.slice(-TELLING);
  return prompt.findLast((piece) => piece.text.includes(head) || piece.text.includes(tail)) !== undefined;
}
