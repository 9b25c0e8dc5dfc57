import type { MessageId } from "../model/ids.ts";
import { type Message, type Role, visibleText } from "../model/message.ts";
import { recallTerms, unspacedWords } from "./recall-terms.ts";
import type { Stemmers } from "./stemmers.ts";

/** A passage is about as long as what a person reads at a glance: 800 UTF-16 code units at the most. */
const MAX_PASSAGE = 800;

/** A piece of a message as it is indexed: where it stands, and the words in it. */
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
  /** How many words it has, repetitions included. */
  readonly words: number;
}

/** A passage and what it is found by. */
export interface IndexedPassage {
  readonly passage: RecallPassage;
  /** Its distinct words, their stems, and the words of scripts without spaces. They hold no white space. */
  readonly terms: readonly string[];
}

/**
 * The passages of a message's visible text, without a gap, cut at ends of lines where there are any. Each is read when
 * it is asked for, so that whoever indexes a long message can let others run between them.
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

/** The text of a passage. */
export function passageText(message: Message, { start, end }: Pick<RecallPassage, "start" | "end">): string {
  return visibleText(message).slice(start, end);
}

/** The end of the last line that fits, else of the last word, else the limit; never inside a surrogate pair. */
function endOfPassage(text: string, start: number): number {
  const limit = start + MAX_PASSAGE;
  if (limit >= text.length) return text.length;
  // Looking back in the whole text would run to its start, once for each passage of a text that is one line.
  const least = start + MAX_PASSAGE / 2;
  const eligible = text.slice(least, limit);
  const line = eligible.lastIndexOf("\n");
  if (line >= 0) return least + line + 1;
  const space = eligible.lastIndexOf(" ");
  if (space >= 0) return least + space + 1;
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}
