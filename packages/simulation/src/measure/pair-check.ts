import type { Message } from "@threadfold/core";
import { type PromptPiece, pieceText } from "../policy/prompt-policy.ts";

/**
 * Checks that a prompt keeps tool calls and results together, as every provider requires. A call or result without its
 * partner in the log itself does not count against a policy.
 */
export class PairCheck {
  readonly #called = new Set<string>();
  readonly #answered = new Set<string>();

  /** Records the calls and results that the log contains so far. */
  add(messages: readonly Message[]): void {
    for (const { parts } of messages) {
      for (const part of parts) {
        if (part.type === "tool-call") this.#called.add(part.callId);
        if (part.type === "tool-result") this.#answered.add(part.result.callId);
      }
    }
  }

  /** Returns the number of calls without their result, and results without their call, although the log has both. */
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

/** How much of a message's beginning or end shows that it is there, in characters. */
const TELLING = 80;

/** Checks whether a prompt contains a message, or the beginning or end of one that had to be cut. */
export function showsMessage(prompt: readonly PromptPiece[], message: Message): boolean {
  const text = pieceText(message).trim();
  const head = text.slice(0, TELLING);
  const tail = text.slice(-TELLING);
  return prompt.findLast((piece) => piece.text.includes(head) || piece.text.includes(tail)) !== undefined;
}
