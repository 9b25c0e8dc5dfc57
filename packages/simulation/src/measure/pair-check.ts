import type { Message } from "@threadfold/core";
import { type PromptPiece, pieceText } from "../policy/prompt-policy.ts";

/**
 * Checks that a prompt keeps calls and results together, as every provider asks. What the log itself has without its
 * partner is not a policy's fault.
 */
export class PairCheck {
  readonly #called = new Set<string>();
  readonly #answered = new Set<string>();

  /** Takes note of what the log holds by now. */
  add(messages: readonly Message[]): void {
    for (const { parts } of messages) {
      for (const part of parts) {
        if (part.type === "tool-call") this.#called.add(part.callId);
        if (part.type === "tool-result") this.#answered.add(part.result.callId);
      }
    }
  }

  /** How many calls stand without their result, and results without their call, although the log has both. */
  brokenPairs(prompt: readonly PromptPiece[]): number {
    const open = new Map<string, number>();
    let broken = 0;
    for (const { callIds = [], resultIds = [] } of prompt) {
      for (const id of callIds) open.set(id, (open.get(id) ?? 0) + 1);
      for (const id of resultIds) {
        const waiting = open.get(id) ?? 0;
        if (waiting === 0) broken += this.#called.has(id) ? 1 : 0;
        else if (waiting === 1) open.delete(id);
        else open.set(id, waiting - 1);
      }
    }
    for (const id of open.keys()) if (this.#answered.has(id)) broken++;
    return broken;
  }
}

/** How much of a message's beginning or end tells that it is there, in characters. */
const TELLING = 80;

/** True when a prompt holds a message, or the beginning or the end of one that had to be cut. */
export function showsMessage(prompt: readonly PromptPiece[], message: Message): boolean {
  const text = pieceText(message).trim();
  const head = text.slice(0, TELLING);
  const tail = text.slice(-TELLING);
  return prompt.findLast((piece) => piece.text.includes(head) || piece.text.includes(tail)) !== undefined;
}
