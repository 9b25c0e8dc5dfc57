import type { MessageId } from "../model/ids.ts";
import { type Message, type Role, visibleText } from "../model/message.ts";
import { recallTerms, unspacedWords } from "./recall-terms.ts";
import type { Stemmers } from "./stemmers.ts";

/** The longest passage, in UTF-16 code units: about as much as a person reads at a glance. */
const MAX_PASSAGE = 800;

/** A piece of a message as it is indexed: its position and the number of its words. */
export interface RecallPassage {
  readonly messageId: MessageId;
  readonly ordinal: number;
  readonly turn: number;
  readonly step: number;
  readonly role: Role;
  readonly toolName?: string;
  readonly branch?: string;
  readonly createdAt: string;
  /** Range of the passage in the message's visible text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** Length of the message's visible text. */
  readonly length: number;
  /** The number of words in it, including repetitions. */
  readonly words: number;
}

/** A passage and the terms by which it is found. */
export interface IndexedPassage {
  readonly passage: RecallPassage;
  /** Its distinct words, their stems, and the words of scripts without spaces. No term contains whitespace. */
  readonly terms: readonly string[];
}

/**
 * Splits a message's visible text into passages without gaps, at line ends if there are any. Each passage is read only
 * when it is requested, so that the indexer of a long message can yield to other work in between.
 */
export function* passagesOf(message: Message, stemmers: Stemmers): Iterable<IndexedPassage> {
  const text = visibleText(message);
  const { id: messageId, ordinal, turn, step, role, createdAt, branch } = message;
  const first = message.parts[0];
  const place = {
    messageId,
    ordinal,
    turn,
    step,
    role,
    createdAt,
    ...(first?.type === "tool-result" && { toolName: first.result.toolName }),
    ...(branch !== undefined && { branch }),
    length: text.length,
  };
  for (let start = 0; start < text.length; ) {
    const end = endOfPassage(text, start);
    const passage = text.slice(start, end);
    const words = recallTerms(passage);
    const terms = new Set([...words, ...stemmers.stemsOf(words), ...unspacedWords(passage)]);
    yield { passage: { ...place, start, end, words: words.length }, terms: [...terms] };
    start = end;
  }
}

/** Returns the text of a passage. */
export function passageText(message: Message, { start, end }: Pick<RecallPassage, "start" | "end">): string {
  return visibleText(message).slice(start, end);
}

/**
 * The end of the last line that fits, else of the last word that does, else the limit; never inside a surrogate pair.
 */
function endOfPassage(text: string, start: number): number {
  const limit = start + MAX_PASSAGE;
  if (limit >= text.length) return text.length;
  // Searching back in the whole text would go to its start, once for each passage of a text that is one line.
  const least = start + MAX_PASSAGE / 2;
  const eligible = text.slice(least, limit);
  const line = eligible.lastIndexOf("\n");
  if (line >= 0) return least + line + 1;
  const space = eligible.lastIndexOf(" ");
  if (space >= 0) return least + space + 1;
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}
