/** How much of a word is kept, in UTF-16 code units: longer ones are data, not names. */
const MAX_TERM = 96;
/** How much of a word is split into parts, in UTF-16 code units: longer ones are encoded data. */
const MAX_WORD = 400;
/** A word, including the punctuation inside paths, dotted names and ids. It does not begin or end with a separator. */
const WORD = /[\p{L}\p{N}_$](?:[\p{L}\p{N}\p{M}_$]|[./:@#\\-]+(?=[\p{L}\p{N}_$]))*/gu;
/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const UNSPACED_RUN = new RegExp(`${UNSPACED.source}+`, "gu");
/** The same, including the long vowel mark, which belongs to no single script. */
const UNSPACED_WORDS = new RegExp(`(?:${UNSPACED.source}|ー)+`, "gu");
const SEPARATORS = /[/\\:@#]+/;
const INNER_SEPARATORS = /[._$-]+/;
/** The parts of a name such as `fooBar`, `HTTPServer` or `sha256sum`. */
const HUMPS = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|\p{Lo}+/gu;
/** Line breaks and tabs in a text that is itself JSON. */
const ESCAPED_SPACE = /\\[nrt]/g;
const ASCII = /^[\0-\x7f]*$/;
/** More combining marks on a letter than any script uses: Unicode's stream-safe limit is 30. */
const PILED_MARKS = /(\p{M}{30})\p{M}+/gu;
const SENTENCE_LIGATURES = /[\uFDFA\uFDFB]/g;
/** How many of these ligatures in one text are expanded to the words that they represent. */
const MAX_LIGATURES = 8;
/** A word or a number without parts, too short for a hash. */
const PLAIN_WORD = /^(?:[A-Za-z][a-z]{1,10}|[A-Z]{2,11}|\d{1,11})$/;
const HASH = /^[0-9a-f]{12,}$/;
/** The number of characters to which people and tools shorten a hash. */
const SHORT_HASH = 7;

/**
 * Returns the words by which a text is found, case-folded, in order and as often as they occur. A path, a dotted,
 * snake_case or camelCase name, a hash or an error code is returned as a whole and in parts, so that either finds it; a
 * long hash also as its first seven characters. Text in scripts without spaces is returned as single characters and
 * pairs. Linear in the length of the text. Index and query must both use this function.
 */
export function recallTerms(text: string): readonly string[] {
  const terms: string[] = [];
  for (const word of plain(text).match(WORD) ?? []) addWord(word.slice(0, MAX_WORD), terms);
  return terms;
}

/** The shortest word in a script without spaces that a pair of characters does not already find. */
const LONGER_THAN_A_PAIR = 3;

/** How many UTF-16 code units are segmented at once: each platform call costs as much as segmenting a few words. */
const DIVIDED_AT_ONCE = 2_048;

let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the words of three or more UTF-16 code units in the parts of a text that are written without spaces, as this
 * platform's dictionary segments them. They supplement the characters and pairs of `recallTerms`, by which a platform
 * that segments differently, or not at all, still finds the same text.
 */
export function unspacedWords(text: string): readonly string[] {
  if (ASCII.test(text)) return [];
  const words = new Set<string>();
  let runs = "";
  for (const run of plain(text).match(UNSPACED_WORDS) ?? []) {
    if (run.length < LONGER_THAN_A_PAIR) continue;
    runs += `${run} `;
    if (runs.length < DIVIDED_AT_ONCE) continue;
    addDivided(runs, words);
    runs = "";
  }
  if (runs !== "") addDivided(runs, words);
  return [...words];
}

function addDivided(runs: string, words: Set<string>): void {
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" });
  for (const { segment } of segmenter.segment(runs))
    if (segment.length >= LONGER_THAN_A_PAIR && segment.length <= MAX_TERM) words.add(segment);
}

function plain(text: string): string {
  const spaced = text.replace(ESCAPED_SPACE, " ");
  return ASCII.test(spaced) ? spaced : normalizable(spaced).normalize("NFKC");
}

/**
 * Bounds the cost of normalization, which sorts the marks on a letter by comparing all of them and expands two
 * ligatures to whole sentences. Without a bound, a few thousand characters of either take seconds.
 */
function normalizable(text: string): string {
  let ligatures = 0;
  return text
    .replace(PILED_MARKS, "$1")
    .replace(SENTENCE_LIGATURES, (ligature) => (++ligatures <= MAX_LIGATURES ? ligature : " "));
}

function addWord(word: string, terms: string[]): void {
  // Most words of most texts have no parts.
  if (PLAIN_WORD.test(word)) {
    terms.push(word.toLowerCase());
    return;
  }
  const found = new Set<string>();
  if (UNSPACED.test(word)) addUnspaced(word, found);
  else add(word, found);
  for (const segment of word.split(SEPARATORS)) {
    if (UNSPACED.test(segment)) continue;
    add(segment, found);
    for (const piece of segment.split(INNER_SEPARATORS)) {
      add(piece, found);
      for (const hump of piece.match(HUMPS) ?? []) add(hump, found);
    }
  }
  terms.push(...found);
}

function addUnspaced(word: string, found: Set<string>): void {
  for (const run of word.match(UNSPACED_RUN) ?? []) {
    const characters = [...run];
    characters.forEach((character, index) => {
      found.add(character);
      if (index > 0) found.add(`${characters[index - 1]}${character}`);
    });
  }
  for (const spaced of word.split(UNSPACED_RUN)) add(spaced, found);
}

function add(given: string, found: Set<string>): void {
  const term = given.toLowerCase().slice(0, MAX_TERM);
  if (term === "" || (term.length === 1 && !/\p{N}/u.test(term))) return;
  found.add(term);
  if (HASH.test(term)) found.add(term.slice(0, SHORT_HASH));
}
