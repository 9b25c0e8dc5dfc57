/// <reference path="./snowball-stemmers.d.ts" />

/** A lowercase word of 4 to 40 letters and marks: shorter words have no ending to remove, and longer ones are data. */
const STEMMED_WORD = /^\p{L}[\p{L}\p{M}]{3,39}$/u;

const LATIN = /^[\p{Script=Latin}\p{M}]+$/u;
const CYRILLIC = /^[\p{Script=Cyrillic}\p{M}]+$/u;
/**
 * The most words in a query whose language, if it cannot be told, is left open: it gets the stems of every language.
 */
const FEW_WORDS = 24;
/** How many stems are cached for each language: texts repeat their words. */
const MOST_REMEMBERED = 20_000;

interface Stemmer {
  stem(word: string): string;
}

/**
 * The part of `snowball-stemmers` that is used; declared here so that nobody who compiles against this needs its types.
 */
interface Snowball {
  readonly newStemmer: (language: string) => Stemmer;
}

/** Finds the stems of words. */
export class Stemmers {
  readonly #snowball: Snowball;
  readonly #known = new Map<StemmedLanguage, KnownStems>();

  constructor(snowball: Snowball) {
    this.#snowball = snowball;
  }

  /** Returns the stems of a text's words, each once and marked with its language; none for English text and code. */
  stemsOf(terms: readonly string[]): readonly string[] {
    return this.#stems(terms, (words) => [languageOf(words)]);
  }

  /**
   * Returns the stems to search for a query; if the language of a short query cannot be told, those of every language.
   */
  queryStemsOf(terms: readonly string[]): readonly string[] {
    return this.#stems(terms, (words) => {
      const language = languageOf(words);
      return language === undefined && terms.length <= FEW_WORDS ? LATIN_LANGUAGES : [language];
    });
  }

  #stems(terms: readonly string[], latin: (words: readonly string[]) => readonly Language[]): readonly string[] {
    const found = new Set<string>();
    const languages = latin(terms);
    for (const term of terms) {
      if (!STEMMED_WORD.test(term)) continue;
      for (const language of languagesOf(term, languages))
        if (language !== undefined && language !== "english") found.add(`${language}~${this.#stemOf(term, language)}`);
    }
    return [...found];
  }

  #stemOf(word: string, language: StemmedLanguage): string {
    const { stemmer, byWord } = this.#known.get(language) ?? {
      stemmer: this.#snowball.newStemmer(language),
      byWord: new Map(),
    };
    if (byWord.size === 0) this.#known.set(language, { stemmer, byWord });
    const before = byWord.get(word);
    if (before !== undefined) return before;
    if (byWord.size >= MOST_REMEMBERED) byWord.clear();
    const stem = stemmer.stem(word);
    byWord.set(word, stem);
    return stem;
  }
}

let loading: Promise<Stemmers> | undefined;

/**
 * Loads the stemmers' rules once, on first indexing or search, because it takes longer than the rest of the startup.
 */
export function loadStemmers(): Promise<Stemmers> {
  loading ??= import("snowball-stemmers").then(({ default: snowball }) => new Stemmers(snowball));
  return loading;
}

type Language = StemmedLanguage | "english" | undefined;

interface KnownStems {
  readonly stemmer: Stemmer;
  readonly byWord: Map<string, string>;
}

/** Languages in Cyrillic script have endings like those of Russian. */
function languagesOf(word: string, latin: readonly Language[]): readonly Language[] {
  if (LATIN.test(word)) return latin;
  return CYRILLIC.test(word) ? ["russian"] : [];
}

/** A language that has a stemmer, by its Snowball name. */
type StemmedLanguage = "german" | "french" | "spanish" | "portuguese" | "italian" | "dutch" | "russian";

/**
 * Function words by which a language in Latin script is recognized. English is included so that it is recognized too,
 * but it has no stems: what agents search for is mostly names.
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

/** The languages in Latin script that have stems. */
const LATIN_LANGUAGES = Object.keys(SENTENCE_WORDS).filter(
  (language) => language !== "english",
) as readonly StemmedLanguage[];

/** How many different function words of a language a text must contain. */
const LEAST_WORDS = 2;

/** The language of a text in Latin script, by its lowercase words; undefined when there are too few or it is a tie. */
function languageOf(words: Iterable<string>): StemmedLanguage | "english" | undefined {
  const counts = new Map<string, number>();
  for (const word of new Set(words))
    for (const language of languagesByWord.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1]);
  if (first === undefined || first[1] < LEAST_WORDS || first[1] === second?.[1]) return undefined;
  return first[0] as StemmedLanguage | "english";
}
