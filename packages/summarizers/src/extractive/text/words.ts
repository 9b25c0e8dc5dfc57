import { finishSteps, type Message, recallTerms, type Steps, type SummarySection } from "@threadfold/core";
import { COMPLETION, PHRASES } from "./phrases.ts";

/** Letters, digits and underscores; words shorter than three are not distinctive. */
const WORD = /[\p{L}\p{N}_]{3,}/gu;
/** How much of the beginning and the end of a body is read, in UTF-16 code units. */
const HEAD = 6_000;
const TAIL = 2_000;
/** A word is common when it occurs in more than this number and more than this share of the messages. */
const COMMON_LEAST = 6;
const COMMON_SHARE = 0.5;

/** Words of prose and programming languages that do not distinguish one change of a file from another. */
const TELLS_NOTHING = new Set(
  (
    "about above after again also always another around because been before being below between both cannot could does " +
    "doesn doing done down during each either ever every from given have having here however inside instead into isn " +
    "itself just keep kept last later less like make many more most much must need needed needs never next nothing now " +
    "often once only onto other otherwise over rather same several should shouldn since some something still such than " +
    "that their them then there these they thing this those though through together under unless until upon used uses " +
    "using very want wasn were what when whenever where whether which while will with within without would wouldn your " +
    "async await bool boolean break case catch class const continue default delete elif else enum except exit export " +
    "extends false final finally func function implements import instanceof interface lambda module none null number " +
    "object pass private protected public raise readonly return self static string struct super switch throw throws true " +
    "type typeof undefined union void yield"
  ).split(" "),
);

/** Checks whether a word occurs in any text and names nothing. */
export const tellsNothing = (word: string): boolean => TELLS_NOTHING.has(word.toLowerCase());

/** Returns the words of a text in lower case, each once. */
export const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(WORD) ?? []);

/** A word and the number of messages of a span that contain it. */
export interface CountedWord {
  readonly word: string;
  readonly count: number;
}

/** The messages of a span that contain each word, counted: rare words are the most distinctive. */
export class SpanWords {
  readonly #messages: number;
  readonly #counts: WordCounts;

  private constructor(messages: number, counts: WordCounts) {
    this.#messages = messages;
    this.#counts = counts;
  }

  /** Counts the words of a span, one message per step. */
  static *of(messages: readonly Message[]): Steps<SpanWords> {
    return new SpanWords(messages.length, yield* countsOf(messages));
  }

  /** Returns the number of messages that contain a word; at least 1, even for an unknown word. */
  count(word: string): number {
    return this.#counts.get(word.toLowerCase()) ?? 1;
  }

  /** Checks whether a word occurs in so many messages that it is not distinctive. */
  isCommon(word: string): boolean {
    return this.count(word) > Math.max(COMMON_LEAST, this.#messages * COMMON_SHARE);
  }

  /** Returns the words that occur in the fewest messages, rarest first; of equally rare ones, the longer first. */
  rarest(words: Iterable<string>, most: number): readonly CountedWord[] {
    return [...words]
      .map((word) => ({ word, count: this.count(word) }))
      .sort((a, b) => a.count - b.count || b.word.length - a.word.length)
      .slice(0, most);
  }
}

function* countsOf(messages: readonly Message[]): Steps<WordCounts> {
  const counts = new WordCounts();
  for (const message of messages) {
    yield;
    for (const word of wordsOf(textOf(message))) counts.add(word);
  }
  return counts;
}

/** A power of two. */
const PARTS = 64;

/**
 * How often words occur. In parts, because a `Map` stops at each doubling to copy all that it holds, and a long span has
 * very many words.
 */
class WordCounts {
  readonly #parts = Array.from({ length: PARTS }, () => new Map<string, number>());

  get(word: string): number | undefined {
    return this.#partOf(word).get(word);
  }

  add(word: string): void {
    const part = this.#partOf(word);
    part.set(word, (part.get(word) ?? 0) + 1);
  }

  /** Words with numbers, of which there are the most, differ at their ends. */
  #partOf(word: string): Map<string, number> {
    const { length } = word;
    const spread = word.charCodeAt(0) + 3 * word.charCodeAt(length - 1) + 7 * word.charCodeAt(length - 2) + 5 * length;
    return this.#parts[spread & (PARTS - 1)] as Map<string, number>;
  }
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

/** Words of instructions that say how to summarize, and common words. The remaining words say what to look for. */
const ABOUT_SUMMARIES = new Set(
  "about account all also and any anything are but compact compaction details does everything focus for from goal has have how include including into its just keep leave let make mention more most must need needed needs not note nothing notes only other out over part please preserve remember rest say should skip sum summaries summarise summarize summary sure tell that the their them then there these they this those was were what when where which while why will with without you your".split(
    " ",
  ),
);

/** The sections of a summary by the words that people use for them. */
const SECTION_WORDS: Readonly<Record<string, SummarySection>> = {
  ...named("openItems", "todo todos task tasks pending remaining requests questions"),
  ...named("files", "file files paths"),
  ...named("errors", "error errors failures bugs"),
  ...named("decisions", "decision decisions choices"),
  ...named("toolOutcomes", "command commands test tests runs"),
  ...named("facts", "fact facts finding findings conclusions"),
  ...named("constraints", "constraint constraints rule rules"),
};

function named(section: SummarySection, words: string): Readonly<Record<string, SummarySection>> {
  return Object.fromEntries(words.split(" ").map((word) => [word, section]));
}

const ASCII = /^[\0-\x7f]*$/;
/** A word in more than this share of the texts does not distinguish any of them. */
const IN_MOST_SHARE = 1 / 3;
/** Texts whose words are looked for in one step, in a millisecond or less. */
const TEXTS_AT_A_TIME = 64;
const IN_MOST_LEAST = 3;

/** Instructions for a summary as words to search for, because there is no model to understand them. */
export class InstructionWords {
  readonly #terms: ReadonlySet<string>;
  readonly #sections: ReadonlySet<SummarySection>;

  constructor(instructions: string | undefined) {
    const terms = recallTerms(instructions ?? "").filter(isTelling);
    this.#terms = new Set(terms);
    this.#sections = new Set(terms.flatMap((term) => SECTION_WORDS[term] ?? []));
  }

  /** True when there are words to search for. */
  get areGiven(): boolean {
    return this.#terms.size > 0;
  }

  names(section: SummarySection): boolean {
    return this.#sections.has(section);
  }

  /**
   * Returns the share of the words that each text contains, from 0 to 1. Words that occur in many texts do not count.
   */
  sharesIn(texts: readonly string[]): readonly number[] {
    return finishSteps(this.sharesInSteps(texts));
  }

  /** Does the same in steps, because a long span has very many texts. */
  *sharesInSteps(texts: readonly string[]): Steps<readonly number[]> {
    const found: ReadonlySet<string>[] = [];
    const counts = new Map<string, number>();
    for (const [index, text] of texts.entries()) {
      if (index % TEXTS_AT_A_TIME === 0) yield;
      const own = new Set(recallTerms(text).filter((term) => this.#terms.has(term)));
      for (const term of own) counts.set(term, (counts.get(term) ?? 0) + 1);
      found.push(own);
    }
    yield;
    const most = Math.max(IN_MOST_LEAST, texts.length * IN_MOST_SHARE);
    return found.map(
      (own) => [...own].filter((term) => (counts.get(term) as number) <= most).length / this.#terms.size,
    );
  }
}

const isTelling = (term: string): boolean => term.length >= (ASCII.test(term) ? 3 : 2) && !ABOUT_SUMMARIES.has(term);

interface Phrase {
  readonly text: string;
  /** Text that must also occur later in the sentence; empty when nothing must. */
  readonly later: string;
  readonly mark: number;
}

/** Code at which scripts without spaces begin: their phrases may occur anywhere in a sentence. */
const UNSPACED_FROM = 0x2e80;
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
/** The lower-case form of each code that may be in a word, and 0 for all others. Made for the first sentence. */
let wordCode: Uint16Array | undefined;

/** Letters of alphabets, digits, the underscore, and the apostrophe as in `don't`, typographic or plain; no Arabic comma. */
function wordCodes(): Uint16Array {
  const codes = new Uint16Array(1 << 16);
  for (const character of "abcdefghijklmnopqrstuvwxyz0123456789_'")
    codes[character.charCodeAt(0)] = character.charCodeAt(0);
  for (let code = 0x41; code <= 0x5a; code++) codes[code] = code | 0x20;
  for (let code = 0xc0; code < 0x2000; code++) codes[code] = smallCode(code);
  for (const sign of "،؛؟") codes[sign.charCodeAt(0)] = 0;
  codes[0x2019] = 0x27;
  return codes;
}

function smallCode(code: number): number {
  const small = String.fromCharCode(code).toLowerCase();
  return small.length === 1 ? small.charCodeAt(0) : code;
}

/** Checks whether a text begins in a script that is written without spaces. */
export const isUnspaced = (text: string): boolean => text.charCodeAt(0) >= UNSPACED_FROM;

const FILTER_BITS = 12;

/** All phrases, in the order in which a sentence is searched for them. */
interface PhraseTable {
  readonly unspaced: readonly Phrase[];
  readonly byFirstWord: ReadonlyMap<number, readonly Phrase[]>;
  /** Quickly rules out most words with which no phrase begins. */
  readonly filter: Uint8Array;
}

/** Made for the first sentence, so that importing the library does not wait for it. */
let table: PhraseTable | undefined;

function phraseTable(): PhraseTable {
  const all = PHRASES.flatMap(({ phrases }) => Object.entries(phrases).flatMap(phrasesOf));
  const byFirstWord = groupByFirstWord(all.filter(({ text }) => !isUnspaced(text)));
  const filter = new Uint8Array(1 << FILTER_BITS);
  for (const hash of byFirstWord.keys()) filter[hash & (filter.length - 1)] = 1;
  return { unspaced: all.filter(({ text }) => isUnspaced(text)), byFirstWord, filter };
}

const phrasesOf = ([mark, list]: readonly [string, string]): readonly Phrase[] =>
  list.split("|").map((phrase) => {
    const [text = "", later = ""] = phrase.split(" … ");
    return { text, later, mark: Number(mark) };
  });

function groupByFirstWord(phrases: readonly Phrase[]): ReadonlyMap<number, readonly Phrase[]> {
  const groups = new Map<number, Phrase[]>();
  for (const phrase of phrases) {
    const hash = firstWordHash(phrase.text);
    const group = groups.get(hash);
    if (group === undefined) groups.set(hash, [phrase]);
    else group.push(phrase);
  }
  return groups;
}

/**
 * What a sentence expresses: the marks of all phrases that occur in it as whole words. Takes one pass over the
 * sentence, regardless of the number of phrases and languages.
 */
export function phraseMarks(sentence: string): number {
  table ??= phraseTable();
  const { unspaced: anywhere, byFirstWord, filter } = table;
  let folded: string | undefined;
  let marks = 0;
  let unspaced = false;
  for (let index = 0; index < sentence.length; index++) {
    const start = index;
    let hash = FNV_OFFSET;
    for (let code = 0; index < sentence.length && (code = wordCodeAt(sentence, index)) !== 0; index++)
      hash = Math.imul(hash ^ code, FNV_PRIME);
    if (index === start) unspaced ||= sentence.charCodeAt(index) >= UNSPACED_FROM;
    else if (filter[hash & (filter.length - 1)] === 1) {
      folded ??= sentence.toLowerCase().replaceAll("’", "'");
      marks |= marksAt(folded, start, byFirstWord.get(hash) ?? []);
    }
  }
  if (unspaced)
    for (const { text, mark } of anywhere) if ((marks & mark) === 0 && sentence.includes(text)) marks |= mark;
  return marks;
}

function marksAt(folded: string, start: number, phrases: readonly Phrase[]): number {
  let marks = 0;
  for (const { text, later, mark } of phrases) {
    const end = start + text.length;
    if (!folded.startsWith(text, start) || !endsWord(folded, end) || !hasWord(folded, later, end)) continue;
    if (mark !== COMPLETION || text.includes(" ") || !isMentioned(folded, start, end)) marks |= mark;
  }
  return marks;
}

/** Checks whether a word is part of a longer one ("squash-merged") or quoted, so that it is not said of the work. */
function isMentioned(folded: string, start: number, end: number): boolean {
  if (folded[start - 1] === "-" || folded[end] === "-") return true;
  return ["`", '"'].some((quote) => {
    const before = folded.slice(0, start).split(quote).length - 1;
    return before % 2 === 1 && folded.includes(quote, end);
  });
}

function hasWord(folded: string, word: string, from: number): boolean {
  for (let at = folded.indexOf(word, from); at >= 0; at = folded.indexOf(word, at + 1))
    if (word === "" || (endsWord(folded, at - 1) && endsWord(folded, at + word.length))) return true;
  return false;
}

/** The lower-case form of a code in a word; 0 for everything else. */
function wordCodeAt(text: string, index: number): number {
  wordCode ??= wordCodes();
  return wordCode[text.charCodeAt(index)] as number;
}

function endsWord(text: string, index: number): boolean {
  return index >= text.length || wordCodeAt(text, index) === 0;
}

function firstWordHash(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; !endsWord(text, index); index++) hash = Math.imul(hash ^ wordCodeAt(text, index), FNV_PRIME);
  return hash;
}
