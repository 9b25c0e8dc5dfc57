/// <reference path="./snowball-stemmers.d.ts" />
import snowball, { type Stemmer } from "snowball-stemmers";

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

/** A word in small letters that may have an ending, in UTF-16 code units: shorter ones have none, longer ones are data. */
const STEMMED_WORD = /^\p{L}[\p{L}\p{M}]{3,39}$/u;

const LATIN = /^[\p{Script=Latin}\p{M}]+$/u;
const CYRILLIC = /^[\p{Script=Cyrillic}\p{M}]+$/u;
/** A question of a few words may hold none that tells its language: its stems are those of every one. */
const FEW_WORDS = 24;
/** Stems that are remembered of a language: texts repeat their words. */
const MOST_REMEMBERED = 20_000;

/** The stems of the words of a text, each once, marked with their language. The text of English and of code has none. */
export function stemsOf(terms: readonly string[]): readonly string[] {
  return stems(terms, (words) => [languageOf(words)]);
}

/** The stems by which the words of a query are looked for: where no language can be told, those of every one. */
export function queryStemsOf(terms: readonly string[]): readonly string[] {
  return stems(terms, (words) => {
    const language = languageOf(words);
    return language === undefined && terms.length <= FEW_WORDS ? LATIN_LANGUAGES : [language];
  });
}

type Language = StemmedLanguage | "english" | undefined;

function stems(terms: readonly string[], latin: (words: readonly string[]) => readonly Language[]): readonly string[] {
  const found = new Set<string>();
  const languages = latin(terms);
  for (const term of terms) {
    if (!STEMMED_WORD.test(term)) continue;
    for (const language of languagesOf(term, languages))
      if (language !== undefined && language !== "english") found.add(`${language}~${stemOf(term, language)}`);
  }
  return [...found];
}

/** The endings of languages in Cyrillic letters are like those of Russian. */
function languagesOf(word: string, latin: readonly Language[]): readonly Language[] {
  if (LATIN.test(word)) return latin;
  return CYRILLIC.test(word) ? ["russian"] : [];
}

interface KnownStems {
  readonly stemmer: Stemmer;
  readonly byWord: Map<string, string>;
}

const known = new Map<StemmedLanguage, KnownStems>();

function stemOf(word: string, language: StemmedLanguage): string {
  const { stemmer, byWord } = known.get(language) ?? { stemmer: snowball.newStemmer(language), byWord: new Map() };
  if (byWord.size === 0) known.set(language, { stemmer, byWord });
  const before = byWord.get(word);
  if (before !== undefined) return before;
  if (byWord.size >= MOST_REMEMBERED) byWord.clear();
  const stem = stemmer.stem(word);
  byWord.set(word, stem);
  return stem;
}

/** A language whose words have endings that a stemmer knows, by its name in Snowball. */
type StemmedLanguage = "german" | "french" | "spanish" | "portuguese" | "italian" | "dutch" | "russian";

/**
 * Words that hold sentences together, by which a language of Latin letters is known. English is among them so that it is
 * known as well, and has no stems: what agents search for is mostly names.
 */
const SENTENCE_WORDS: Readonly<Record<string, string>> = {
  english: "the and is are was were be been to of in it that this with for on not but we you have has will can if from",
  german:
    "der die das und ist sind war nicht ein eine einen einem mit von für auf dem den des zu zum zur im wird werden wurde auch wenn nach bei aus noch schon nur wie wir ich sie es aber oder kann muss bitte",
  french:
    "le la les des et est une un du de dans pour pas que qui sur avec ce cette ces sont était au aux nous vous je il elle mais ou par plus ne se être fait faut quand",
  spanish:
    "el la los las de del y es una un en que por para con no se su al lo como más pero son está fue hay este esta cuando si ya muy porque",
  portuguese:
    "o a os as de do da dos das e é um uma em no na nos nas que por para com não se ao como mais mas são está foi há este esta quando já muito porque você",
  italian:
    "il lo la i gli le di del della dei delle e è un una in nel nella che per con non si al come più ma sono era questo questa quando già anche perché",
  dutch:
    "de het een en is zijn was niet van voor op met dat dit die te om in aan er ook als maar bij naar wordt worden heeft wij ik je nog",
};

const languagesByWord: ReadonlyMap<string, readonly string[]> = (() => {
  const known = new Map<string, string[]>();
  for (const [language, words] of Object.entries(SENTENCE_WORDS))
    for (const word of words.split(" ")) known.set(word, [...(known.get(word) ?? []), language]);
  return known;
})();

/** The languages of Latin letters that have stems. */
const LATIN_LANGUAGES = Object.keys(SENTENCE_WORDS).filter(
  (language) => language !== "english",
) as readonly StemmedLanguage[];

/** How many different ones of a language's sentence words have to be there. */
const LEAST_WORDS = 2;

/** What a text of Latin letters is written in, by its words in small letters; undefined where too few of them tell, and where several tell as much. */
function languageOf(words: Iterable<string>): StemmedLanguage | "english" | undefined {
  const counts = new Map<string, number>();
  for (const word of new Set(words))
    for (const language of languagesByWord.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1]);
  if (first === undefined || first[1] < LEAST_WORDS || first[1] === second?.[1]) return undefined;
  return first[0] as StemmedLanguage | "english";
}
