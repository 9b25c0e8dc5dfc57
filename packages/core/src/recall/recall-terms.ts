/** No more of a word than this is kept, in UTF-16 code units: longer ones are data and not names. */
const MAX_TERM = 96;
/** The longest word that is split into its parts; what is longer is encoded data. */
const MAX_WORD = 400;
/** A word with everything that paths, names, dotted names and ids are written with. It begins and ends with a letter or digit. */
const WORD = /[\p{L}\p{N}_$](?:[\p{L}\p{N}\p{M}_$]|[./:@#\\-]+(?=[\p{L}\p{N}_$]))*/gu;
/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const UNSPACED_RUN = new RegExp(`${UNSPACED.source}+`, "gu");
/** The same with the sign of a long vowel, which no script has for itself. */
const UNSPACED_WORDS = new RegExp(`(?:${UNSPACED.source}|ー)+`, "gu");
const SEPARATORS = /[/\\:@#]+/;
const INNER_SEPARATORS = /[._$-]+/;
/** Where a name changes: `fooBar`, `HTTPServer`, `sha256sum`. */
const HUMPS = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|\p{Lo}+/gu;
/** Line breaks and tabs in a text that is itself JSON. */
const ESCAPED_SPACE = /\\[nrt]/g;
const ASCII = /^[\0-\x7f]*$/;
/** No script piles up more marks on a letter: 30 are what Unicode calls stream-safe. */
const PILED_MARKS = /(\p{M}{30})\p{M}+/gu;
const SENTENCE_LIGATURES = /[\uFDFA\uFDFB]/g;
/** How many of them in one text are read as the words that they stand for. */
const MAX_LIGATURES = 8;
/** In small letters, and too short for a hash. */
const PLAIN_WORD = /^[a-z]{2,11}$/;
const HASH = /^[0-9a-f]{12,}$/;
/** How many characters of a hash people and tools write when they shorten it. */
const SHORT_HASH = 7;

/**
 * The words by which a text is found, in order and as often as they occur, case folded. A path, a dotted or snake_case
 * or camelCase name, a hash or an error code counts as a whole and by its parts, so that either finds it; a long hash
 * also by its first seven characters. Text of scripts without spaces counts by single characters and by pairs. Linear
 * in the text. Index and query must both be read by this function.
 */
export function recallTerms(text: string): readonly string[] {
  const terms: string[] = [];
  for (const [word] of plain(text).matchAll(WORD)) addWord(word.slice(0, MAX_WORD), terms);
  return terms;
}

/** A word of a script without spaces that is not found by a pair of its characters already. */
const LONGER_THAN_A_PAIR = 3;

/** Runs are divided so many characters at a time: each call of the platform costs as much as dividing a few words. */
const DIVIDED_AT_ONCE = 2_048;

let segmenter: Intl.Segmenter | undefined;

/**
 * The words of three characters and more in the parts of a text that are written without spaces, as the dictionary of
 * this platform divides them. They come on top of the characters and pairs of `recallTerms`, so that a platform that
 * divides otherwise, or not at all, finds the same by those.
 */
export function unspacedWords(text: string): readonly string[] {
  if (ASCII.test(text)) return [];
  const words = new Set<string>();
  let runs = "";
  for (const [run] of plain(text).matchAll(UNSPACED_WORDS)) {
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
 * Marks on one letter are put into order by comparing all of them, and two ligatures stand for whole sentences: without a
 * bound a few thousand characters of either take seconds.
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
    terms.push(word);
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
      for (const [hump] of piece.matchAll(HUMPS)) add(hump, found);
    }
  }
  terms.push(...found);
}

function addUnspaced(word: string, found: Set<string>): void {
  for (const [run] of word.matchAll(UNSPACED_RUN)) {
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
