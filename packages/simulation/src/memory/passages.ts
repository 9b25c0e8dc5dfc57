import { pieceText } from "../policy/prompt-policy.ts";
import type { RecordedSession } from "../recording/recorded-session.ts";

/**
 * A passage is what a reader takes in as one: a line, or lines that follow one another up to this many characters. What
 * stands in one passage belongs together; what stands in one message need not.
 */
export const PASSAGE_CHARACTERS = 400;
/** A longer line is read in pieces of this many characters, each beginning in the middle of the one before. */
const LONGEST_LINE = 800;

/** A text line by line, long lines in overlapping pieces; blank lines are left out. */
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

/** Every passage of a text: from each line on as many whole lines as fit, at least one. */
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
