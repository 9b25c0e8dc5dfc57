/// <reference path="./snowball-stemmers.d.ts" />
import snowball, { type Stemmer } from "snowball-stemmers";
import { LATIN_LANGUAGES, languageOf, type StemmedLanguage } from "./recall-language.ts";

/** A word in small letters that may have an ending, in UTF-16 code units: shorter ones have none, longer ones are data. */
const WORD = /^\p{L}[\p{L}\p{M}]{3,39}$/u;
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
    if (!WORD.test(term)) continue;
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
