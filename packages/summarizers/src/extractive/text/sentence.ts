import { COMPLETION, DECISION, FINDING, PHRASES, PREFERENCE, SETBACK } from "./phrases.ts";

/** One sentence on one line, without list marks and emphasis, and what it expresses according to its phrases. */
export interface Sentence {
  readonly text: string;
  /** What it expresses, as bits of the marks in `phrases.ts`. */
  readonly marks: number;
}

/** Limits of a sentence and a line, in UTF-16 code units. Longer text is data; shorter text says nothing. */
const MIN_SENTENCE = 4;
const MIN_UNSPACED = 2;
const MAX_SENTENCE = 320;
const MAX_LINE = 1_200;
/** How much of the beginning and the end of a long text is read, in UTF-16 code units. */
const HEAD = 12_000;
const TAIL = 4_000;

/** After a punctuation mark and white space, or after a full stop of a script that needs no space. */
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？；])/;
/** Words between pairs of asterisks. Those of a glob or an argument (`**kwargs`) are not emphasis. */
const EMPHASIS = /(?<![/*\w])\*\*(?=\S)([^*]+)(?<=\S)\*\*(?![/*\w])/g;
const ROW = /^\|.*\|$/;
const LIST_MARK = /^(?:[-*+•>#]{1,6}\s+|\d{1,3}[.)]\s+|[a-z][.)]\s+)*/i;

/**
 * Returns the sentences of a text, without code blocks. Only the first and the last part of a long text are read,
 * because that is where pasted documents make their point. Linear in the text.
 */
export function sentencesOf(text: string, head = HEAD, tail = TAIL): readonly Sentence[] {
  const sentences: Sentence[] = [];
  if (text.length <= head + tail) addLines(text, sentences);
  else {
    addLines(text.slice(0, head).toWellFormed(), sentences);
    if (tail > 0) addLines(text.slice(-tail).toWellFormed(), sentences, isLeftFenced(text.slice(0, -tail)));
  }
  return sentences;
}

/** The fence at the beginning of a line that starts or ends a code block. */
const FENCE = /^[ \t]*(?:```|~~~)/gm;

/** True when a text ends in the middle of a code block. */
const isLeftFenced = (text: string): boolean => (text.match(FENCE) ?? []).length % 2 === 1;

/** Returns the parts of a text that are read for its sentences. */
export const partRead = (text: string): string =>
  text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;

function addLines(text: string, sentences: Sentence[], isFenced = false): void {
  let fenced = isFenced;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = end - start > MAX_LINE ? "" : text.slice(start, end).trim();
    if (line.startsWith("```") || line.startsWith("~~~")) fenced = !fenced;
    else if (!fenced && line.length >= MIN_UNSPACED) addSentences(line, sentences);
    start = end + 1;
  }
}

function addSentences(line: string, sentences: Sentence[]): void {
  let plain = line.replace(LIST_MARK, "");
  if (plain.includes("**")) plain = plain.replace(EMPHASIS, "$1");
  // A table row is kept as a whole.
  if (ROW.test(plain) && plain.length <= MAX_SENTENCE) addSentence(plain, sentences);
  else for (const part of plain.split(SENTENCE_END)) addSentence(part, sentences);
}

function addSentence(part: string, sentences: Sentence[]): void {
  const text = part.trim();
  if (text.length < (isUnspaced(text) ? MIN_UNSPACED : MIN_SENTENCE) || text.length > MAX_SENTENCE) return;
  const oneSpaced = text.includes("  ") || text.includes("\t") ? text.replace(/\s+/g, " ") : text;
  sentences.push({ text: oneSpaced, marks: phraseMarks(oneSpaced) });
}

/** Checks whether a sentence is a question. */
export const isQuestion = (text: string): boolean => /[?？]["'”»)]?$/.test(text);

const ANNOUNCES_ELSEWHERE =
  /^(?:(?:gut|ok|jetzt|dann|als nächstes|d['’]abord|maintenant|ahora|primero|agora|primeiro|теперь|сначала|хорошо)[,.!]?\s+)*(?:ich werde|ich schaue|lass mich|je vais|laisse(?:z)?-moi|voy a|déjame|vou|deixe-me|сейчас|давайте|я (?:сейчас )?(?:проверю|посмотрю|сделаю|добавлю|исправлю))(?!\p{L})|^(?:让我|我来|我先|接下来我|我现在|我将|我会)|^(?:まず|次に|では|これから)[^。]*(?:します|ます|ましょう)。?$/iu;
const BEFORE_IT =
  "(?:(?:now|first|next|then|ok|okay|good(?: question| point| catch| idea)?|great|perfect|alright|so|actually|you['’]re (?:absolutely )?right)(?:[,.!]|\\s+[-–—])?\\s+)*";
/** Verbs for finding something out, which imply that it was not found yet. */
const LOOKS =
  "(?:check|double-check|examine|explore|figure out|find|inspect|investigate|know|look|make sure|read|reproduce|rerun|run|search|see|test|try|understand|verify)";
const ANNOUNCES = new RegExp(
  `^${BEFORE_IT}(?:(?:let me(?! know)|let['’]s|i['’]ll|i will|i['’]m going to|i am going to)|` +
    `(?:i|we) (?:also |just |still |now )?(?:need to|should|want to) (?:first |also |now )?${LOOKS}|` +
    `now,? (?:${LOOKS}|add|apply|create|fix|insert|remove|replace|update|write))\\b`,
  "i",
);

/** Checks whether a sentence announces what its speaker will do next, which may then never be done. */
export const isAnnouncement = (sentence: string): boolean =>
  ANNOUNCES.test(sentence) || ANNOUNCES_ELSEWHERE.test(sentence);

/** Marks of sentences that say what was found, decided, done or not done. */
export const CONCLUDES = FINDING | DECISION | COMPLETION | SETBACK;
/** Signs of a name: code, a path, a file, a number. */
const NAMES = /`|[a-z][A-Z]|\w_\w|[\w)]\.[a-z]\w|\/\w|\d/;
/** The speaker has looked at enough; what was seen is in other sentences. */
const UNDERSTOOD =
  /^(?:(?:now|good|great|perfect|excellent|ok(?:ay)?|so|yes)[,.!]?\s+)*(?:i(?: can)?(?: now)? (?:see|understand)\b.{0,60}\b(?:picture|pattern|issue|problem|flow|structure|situation)\b|i(?: now)? have (?:now )?(?:enough|everything|a (?:clear|full|good|better|complete|comprehensive|solid)|the (?:full|whole|complete)|gathered)\b)/i;
/** Praise, agreement and surprise, which say nothing about the work. */
const REACTS =
  /^(?:(?:oh|ah|ok(?:ay)?|great|good|perfect|excellent|nice|wow|hmm+|sorry|thanks)\b|you['’]re (?:absolutely |completely |totally )?(?:right|correct)|(?:that|this|it)(?:['’]s| is| looks) (?:a |an |the |much |very |so |really |more )*(?:great|good|better|perfect|excellent|clever|nice|fine|fair|crucial|right|correct|clear|clean|cleaner|mess|complex|expected|helpful|useful)\b|(?:all |both )?(?:makes sense|looks good|works?)\b)/i;
/** How the speaker feels about the work. */
const FEELS =
  /^(?:(?:so|well|ok(?:ay)?|honestly|clearly|at this point)[,.!]?\s+)*i(?:['’]m|['’]ve| am| was| have been| may have been| must be| understand| realize| know| think)?\b.{0,40}\b(?:frustrat(?:ing|ed|ion)|at a (?:complete |total )?loss|overthinking|overcomplicating|apologi[sz]e|confused|missing something)\b/i;
/** A shorter sentence, in UTF-16 code units, that names nothing is hardly more than a remark. */
const SHORTEST_STATEMENT = 40;

/** True for a sentence that names something by a path, a number or a spelling of code. */
const namesSomething = (text: string): boolean => NAMES.test(text);

/** Checks whether a sentence is an announcement that names nothing, and so says nothing about what was found. */
export const isPassing = ({ text }: Sentence): boolean => isAnnouncement(text) && !namesSomething(text);

/** Words of a guess. */
const GUESSES = /\b(?:maybe|perhaps|might be|not sure|unclear|it seems|i bet)\b/i;

/** Checks whether a sentence itself says that it may be wrong. */
export const isGuess = (text: string): boolean => GUESSES.test(text);

/** Checks whether a sentence is short and neither names nor concludes anything ("The constructor is large."). */
export const isSlight = ({ text, marks }: Sentence): boolean =>
  text.length < SHORTEST_STATEMENT && (marks & CONCLUDES) === 0 && !namesSomething(text) && !isUnspaced(text);

/**
 * Checks whether a sentence says nothing out of context: "I see the problem.", "That's better.", words before a list.
 */
export const isRemark = (sentence: Sentence): boolean =>
  !namesSomething(sentence.text) &&
  (sentence.text.endsWith(":") ||
    UNDERSTOOD.test(sentence.text) ||
    FEELS.test(sentence.text) ||
    (isSlight(sentence) && REACTS.test(sentence.text)));

/** Up to twice this length, in UTF-16 code units, a longer sentence counts as more informative. */
const TELLING_LENGTH = 100;

/** Returns how informative a sentence is by itself, without the rest of its message, from 0 to 4. */
export function tellingOf(text: string): number {
  const marks = phraseMarks(text);
  // What users say about themselves and their work counts as a statement, just like an agent's conclusion.
  const states = (marks & (CONCLUDES | PREFERENCE)) !== 0;
  const isUserFact = (marks & PREFERENCE) !== 0;
  if (!isUserFact && (isAnnouncement(text) || isRemark({ text, marks }) || isSlight({ text, marks }))) return 0;
  return Math.min(2, text.length / TELLING_LENGTH) + (namesSomething(text) ? 1 : 0) + (states ? 1 : 0);
}

/**
 * Quotes as many of the first sentences as fit into this many UTF-16 code units, whole and each once; always the first.
 */
export function quoteSentences(sentences: readonly Sentence[], maxLength: number): string {
  let quote = "";
  for (const text of new Set(sentences.map((sentence) => sentence.text))) {
    const next = quote === "" ? text : `${quote}${/[.!?。！？:;,]["'”»)]?$/.test(quote) ? "" : ";"} ${text}`;
    if (quote !== "" && next.length > maxLength) break;
    quote = next;
  }
  return quote;
}

interface Phrase {
  readonly text: string;
  /** Text that must also occur later in the sentence; empty when nothing must. */
  readonly later: string;
  readonly mark: number;
}

const ALL: readonly Phrase[] = PHRASES.flatMap(({ phrases }) =>
  Object.entries(phrases).flatMap(([mark, list]) =>
    list.split("|").map((phrase): Phrase => {
      const [text = "", later = ""] = phrase.split(" … ");
      return { text, later, mark: Number(mark) };
    }),
  ),
);
/** Code at which scripts without spaces begin: their phrases may occur anywhere in a sentence. */
const UNSPACED_FROM = 0x2e80;
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
/**
 * The lower-case form of each code that may be in a word, and 0 for all others. Built first: the tables below need it.
 */
const WORD_CODE = wordCodes();

/** Letters of alphabets, digits, the underscore, and the apostrophe as in `don't`, typographic or plain. */
function wordCodes(): Uint16Array {
  const codes = new Uint16Array(1 << 16);
  for (const character of "abcdefghijklmnopqrstuvwxyz0123456789_'")
    codes[character.charCodeAt(0)] = character.charCodeAt(0);
  for (let code = 0x41; code <= 0x5a; code++) codes[code] = code | 0x20;
  for (let code = 0xc0; code < 0x2000; code++) codes[code] = smallCode(code);
  codes[0x2019] = 0x27;
  return codes;
}

function smallCode(code: number): number {
  const small = String.fromCharCode(code).toLowerCase();
  return small.length === 1 ? small.charCodeAt(0) : code;
}

const isUnspaced = (text: string): boolean => text.charCodeAt(0) >= UNSPACED_FROM;
const UNSPACED: readonly Phrase[] = ALL.filter(({ text }) => isUnspaced(text));
const BY_FIRST_WORD: ReadonlyMap<number, readonly Phrase[]> = groupByFirstWord(
  ALL.filter(({ text }) => !isUnspaced(text)),
);

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

/** A filter that quickly rules out most words with which no phrase begins. */
const FILTER_BITS = 12;
const FILTER = new Uint8Array(1 << FILTER_BITS);
for (const hash of BY_FIRST_WORD.keys()) FILTER[hash & (FILTER.length - 1)] = 1;

/**
 * What a sentence expresses: the marks of all phrases that occur in it as whole words. Takes one pass over the
 * sentence, regardless of the number of phrases and languages.
 */
function phraseMarks(sentence: string): number {
  let folded: string | undefined;
  let marks = 0;
  let unspaced = false;
  for (let index = 0; index < sentence.length; index++) {
    const start = index;
    let hash = FNV_OFFSET;
    for (let code = 0; index < sentence.length && (code = wordCodeAt(sentence, index)) !== 0; index++)
      hash = Math.imul(hash ^ code, FNV_PRIME);
    if (index === start) unspaced ||= sentence.charCodeAt(index) >= UNSPACED_FROM;
    else if (FILTER[hash & (FILTER.length - 1)] === 1) {
      folded ??= sentence.toLowerCase().replaceAll("’", "'");
      marks |= marksAt(folded, start, hash);
    }
  }
  if (unspaced)
    for (const { text, mark } of UNSPACED) if ((marks & mark) === 0 && sentence.includes(text)) marks |= mark;
  return marks;
}

function marksAt(folded: string, start: number, hash: number): number {
  let marks = 0;
  for (const { text, later, mark } of BY_FIRST_WORD.get(hash) ?? []) {
    const end = start + text.length;
    if (folded.startsWith(text, start) && endsWord(folded, end) && hasWord(folded, later, end)) marks |= mark;
  }
  return marks;
}

function hasWord(folded: string, word: string, from: number): boolean {
  for (let at = folded.indexOf(word, from); at >= 0; at = folded.indexOf(word, at + 1))
    if (word === "" || (endsWord(folded, at - 1) && endsWord(folded, at + word.length))) return true;
  return false;
}

/** The lower-case form of a code in a word; 0 for everything else. */
function wordCodeAt(text: string, index: number): number {
  return WORD_CODE[text.charCodeAt(index)] as number;
}

function endsWord(text: string, index: number): boolean {
  return index >= text.length || wordCodeAt(text, index) === 0;
}

function firstWordHash(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; !endsWord(text, index); index++) hash = Math.imul(hash ^ wordCodeAt(text, index), FNV_PRIME);
  return hash;
}
