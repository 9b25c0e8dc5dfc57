import { PHRASES } from "./phrases.ts";

interface Phrase {
  readonly text: string;
  readonly mark: number;
}

const ALL: readonly Phrase[] = PHRASES.flatMap(({ phrases }) =>
  Object.entries(phrases).flatMap(([mark, list]) =>
    list.split("|").map((text): Phrase => ({ text, mark: Number(mark) })),
  ),
);
/** Scripts without spaces begin here: their phrases stand anywhere in a sentence. */
const UNSPACED_FROM = 0x2e80;
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
/** For each code of a word its small form, for every other code 0. Made first, because the tables below need it. */
const WORD_CODE = wordCodes();

/** Letters of alphabets, digits, the underscore, and the apostrophe inside `don't`, printed or plain. */
function wordCodes(): Uint16Array {
  const codes = new Uint16Array(1 << 16);
  for (const character of "abcdefghijklmnopqrstuvwxyz0123456789_'")
    codes[character.charCodeAt(0)] = character.charCodeAt(0);
  for (let code = 0x41; code <= 0x5a; code++) codes[code] = code | 0x20;
  for (let code = 0xc0; code < 0x2000; code++) codes[code] = code;
  codes[0x2019] = 0x27;
  return codes;
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

/** Says of most words at once that no phrase begins with them. */
const FILTER_BITS = 12;
const FILTER = new Uint8Array(1 << FILTER_BITS);
for (const hash of BY_FIRST_WORD.keys()) FILTER[hash & (FILTER.length - 1)] = 1;

/**
 * What a sentence does, as the marks of all phrases that stand in it as whole words. One pass over the sentence, whatever
 * the number of phrases and languages.
 */
export function phraseMarks(sentence: string): number {
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
  for (const { text, mark } of BY_FIRST_WORD.get(hash) ?? []) {
    if (folded.startsWith(text, start) && endsWord(folded, start + text.length)) marks |= mark;
  }
  return marks;
}

/** The small form of a word's code; 0 for everything else. */
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
