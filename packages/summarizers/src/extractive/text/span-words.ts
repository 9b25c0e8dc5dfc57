import type { Message } from "@threadfold/core";

/** Letters, digits and underscores; what is shorter than three of them tells nothing from anything else. */
const WORD = /[\p{L}\p{N}_]{3,}/gu;
/** Bodies are read so far at their beginning and at their end, in UTF-16 code units. */
const HEAD = 6_000;
const TAIL = 2_000;
/** A word that stands in more messages than this, and in more than this share of them, is an everyday word. */
const COMMON_LEAST = 6;
const COMMON_SHARE = 0.5;

/** The words of a text in lower case, each once. */
export const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(WORD) ?? []);

/** In how many messages of a span each word stands: what stands in few tells most. Counted when it is first asked for. */
export class SpanWords {
  readonly #messages: readonly Message[];
  #counts: ReadonlyMap<string, number> | undefined;

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
  }

  /** At least 1: a word that is asked for stands somewhere. */
  count(word: string): number {
    this.#counts ??= countsOf(this.#messages);
    return this.#counts.get(word.toLowerCase()) ?? 1;
  }

  /** True for a word that stands in so many messages that it tells nothing. */
  isCommon(word: string): boolean {
    return this.count(word) > Math.max(COMMON_LEAST, this.#messages.length * COMMON_SHARE);
  }

  /** The words that stand in the fewest messages, rarest first; the longer first of equally rare ones. */
  rarest(words: Iterable<string>, most: number): readonly string[] {
    return [...words].sort((a, b) => this.count(a) - this.count(b) || b.length - a.length).slice(0, most);
  }
}

function countsOf(messages: readonly Message[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const message of messages)
    for (const word of wordsOf(textOf(message))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function textOf({ parts }: Message): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case "text":
          return ends(part.text);
        case "tool-call":
          return ends(typeof part.input === "string" ? part.input : JSON.stringify(part.input));
        case "tool-result": {
          const { content } = part.result;
          if (content.type === "text") return ends(content.text);
          return content.type === "json"
            ? ends(JSON.stringify(content.value))
            : content.blocks.map((block) => (block.type === "text" ? ends(block.text) : "")).join("\n");
        }
        default:
          return "";
      }
    })
    .join("\n");
}

const ends = (text: string): string =>
  text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;
