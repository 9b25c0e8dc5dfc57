import { pieceText } from "../policy/prompt-policy.ts";
import type { RecordedSession } from "../recording/recorded-session.ts";

/**
 * Maximum characters of a passage, which a reader takes in as a unit: a line, or consecutive lines up to this length.
 * What is in one passage belongs together; what is in one message need not.
 */
export const PASSAGE_CHARACTERS = 400;
/** A longer line is read in pieces of this many characters, each beginning in the middle of the previous one. */
const LONGEST_LINE = 800;

/** Returns the lines of a text, long ones in overlapping pieces; blank lines are left out. */
export function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    if (line.length <= LONGEST_LINE) {
      if (line.trim() !== "") lines.push(line);
      continue;
    }
    for (let start = 0; start < line.length; start += LONGEST_LINE / 2)
      lines.push(line.slice(start, start + LONGEST_LINE));
  }
  return lines;
}

/** Returns every passage of a text: starting at each line, as many whole lines as fit, at least one. */
export function passagesOf(text: string): readonly string[] {
  const lines = linesOf(text);
  return lines.map((_, start) => {
    let end = start + 1;
    let length = (lines[start] as string).length;
    while (end < lines.length && length + (lines[end] as string).length < PASSAGE_CHARACTERS)
      length += (lines[end++] as string).length + 1;
    return lines.slice(start, end).join("\n");
  });
}

/** Matches words of letters, digits and underscores; those of fewer than three characters are not distinctive. */
const WORD = /[\p{L}\p{N}_]{3,}/gu;

/** Returns the words of a text in lower case, in order, with repetitions. */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(WORD) ?? [];

/** The number of messages of a session that each word appears in. */
export class SessionWords {
  readonly #messages = new Map<string, number>();

  constructor({ messages }: Pick<RecordedSession, "messages">) {
    for (const message of messages)
      for (const word of new Set(wordsOf(pieceText(message)))) this.#messages.set(word, this.count(word) + 1);
  }

  count(word: string): number {
    return this.#messages.get(word) ?? 0;
  }

  /**
   * Returns the words of a text that appear in the fewest messages, each once, rarest first; of equally rare ones, the
   * longer first.
   */
  rarest(text: string, most: number): readonly string[] {
    const words = [...new Set(wordsOf(text))];
    return words.sort((a, b) => this.count(a) - this.count(b) || b.length - a.length).slice(0, most);
  }
}
