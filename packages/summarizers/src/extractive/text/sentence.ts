import { phraseMarks } from "./phrase-marks.ts";

/** One sentence on one line, without list mark and emphasis, and what it does by the phrases in it. */
export interface Sentence {
  readonly text: string;
  /** Bits of `phrases.ts`. */
  readonly marks: number;
}

/** What is longer is data, what is shorter says nothing. In UTF-16 code units. */
const MIN_SENTENCE = 4;
const MAX_SENTENCE = 320;
const MAX_LINE = 1_200;
/** So much of the beginning and of the end of a long text is read, in UTF-16 code units. */
const HEAD = 12_000;
const TAIL = 4_000;

/** After a sign that white space follows, or after a full stop of a script that needs no space. */
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？；])/;
/** Two asterisks on both sides of some words; those of a glob or of an argument (`**kwargs`) are no emphasis. */
const EMPHASIS = /(?<![/*\w])\*\*(?=\S)([^*]+)(?<=\S)\*\*(?![/*\w])/g;
const LIST_MARK = /^(?:[-*+•>#]{1,6}\s+|\d{1,3}[.)]\s+|[a-z][.)]\s+)*/i;

/**
 * The sentences of a text, without code blocks. Of a long text the first and the last part are read, because pasted
 * documents carry their point there. Linear in what is read.
 */
export function sentencesOf(text: string, head = HEAD, tail = TAIL): readonly Sentence[] {
  const sentences: Sentence[] = [];
  if (text.length <= head + tail) addLines(text, sentences);
  else {
    addLines(text.slice(0, head).toWellFormed(), sentences);
    if (tail > 0) addLines(text.slice(-tail).toWellFormed(), sentences);
  }
  return sentences;
}

/** What is read of a text for its sentences. */
export const partRead = (text: string): string =>
  text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;

function addLines(text: string, sentences: Sentence[]): void {
  let fenced = false;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = end - start > MAX_LINE ? "" : text.slice(start, end).trim();
    if (line.startsWith("```") || line.startsWith("~~~")) fenced = !fenced;
    else if (!fenced && line.length >= MIN_SENTENCE) addSentences(line, sentences);
    start = end + 1;
  }
}

function addSentences(line: string, sentences: Sentence[]): void {
  let plain = line.replace(LIST_MARK, "");
  if (plain.includes("**")) plain = plain.replace(EMPHASIS, "$1");
  for (const part of plain.split(SENTENCE_END)) addSentence(part, sentences);
}

function addSentence(part: string, sentences: Sentence[]): void {
  const text = part.trim();
  if (text.length < MIN_SENTENCE || text.length > MAX_SENTENCE) return;
  const oneSpaced = text.includes("  ") || text.includes("\t") ? text.replace(/\s+/g, " ") : text;
  sentences.push({ text: oneSpaced, marks: phraseMarks(oneSpaced) });
}

/** True for a sentence that asks something. */
export const isQuestion = (text: string): boolean => /[?？]["'”»)]?$/.test(text);

const ANNOUNCES =
  /^(?:(?:now|first|next|then|ok|okay|good|great|perfect|alright|so|actually|you['’]re (?:absolutely )?right)[,.!]?\s+)*(?:let me(?! know)|let['’]s|i['’]ll|i will|i['’]m going to|i am going to)\b/i;

/** True for a sentence that says what its speaker will do next. It may be cut off before it is done. */
export const isAnnouncement = (sentence: string): boolean => ANNOUNCES.test(sentence);

/** The first sentences, whole and each once, as many as fit into so many UTF-16 code units; always the first one. */
export function quoteSentences(sentences: readonly Sentence[], maxLength: number): string {
  let quote = "";
  for (const text of new Set(sentences.map((sentence) => sentence.text))) {
    const next = quote === "" ? text : `${quote}${/[.!?。！？:;,]["'”»)]?$/.test(quote) ? "" : ";"} ${text}`;
    if (quote !== "" && next.length > maxLength) break;
    quote = next;
  }
  return quote;
}
