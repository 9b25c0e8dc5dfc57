import { pieceText } from "../policy/prompt-piece.ts";
import type { RecordedSession } from "../recording/recorded-session.ts";

/** Letters, digits and underscores; what is shorter than three of them tells nothing from anything else. */
const WORD = /[\p{L}\p{N}_]{3,}/gu;

/** The words of a text in lower case, in order, as often as they stand there. */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(WORD) ?? [];

/** In how many messages of a session each word stands. */
export class SessionWords {
  readonly #messages = new Map<string, number>();

  constructor({ messages }: Pick<RecordedSession, "messages">) {
    for (const message of messages)
      for (const word of new Set(wordsOf(pieceText(message)))) this.#messages.set(word, this.count(word) + 1);
  }

  count(word: string): number {
    return this.#messages.get(word) ?? 0;
  }

  /** The words of a text that stand in the fewest messages, each once, rarest first; the longer first of equally rare ones. */
  rarest(text: string, most: number): readonly string[] {
    const words = [...new Set(wordsOf(text))];
    return words.sort((a, b) => this.count(a) - this.count(b) || b.length - a.length).slice(0, most);
  }
}
