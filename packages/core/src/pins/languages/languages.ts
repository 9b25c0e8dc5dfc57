import { arabic } from "./arabic.ts";
import { chinese, japanese, korean } from "./east-asian.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import { french, portuguese, spanish } from "./romance.ts";
import { type CompiledLanguage, compiledLanguage, type RuleLanguage, smallLetters } from "./rule-language.ts";
import { russian } from "./russian.ts";

/** The languages in which rules are detected. To add one, write it down in a file of this folder and list it here. */
export const LANGUAGES: readonly RuleLanguage[] = [
  english,
  german,
  french,
  spanish,
  portuguese,
  russian,
  chinese,
  japanese,
  korean,
  arabic,
];

/** {@link LANGUAGES}, compiled. */
const COMPILED_LANGUAGES: readonly CompiledLanguage[] = LANGUAGES.map(compiledLanguage);

/** How much of a text is read to detect its language, in UTF-16 code units. */
const SAMPLE = 2_000;
const SCRIPTS = [
  ["cyrillic", /\p{Script=Cyrillic}/u],
  ["arabic", /\p{Script=Arabic}/u],
  ["hangul", /[\uac00-\ud7a3]/],
  ["kana", /[\u3040-\u30ff]/],
  ["han", /[\u4e00-\u9fff]/],
] as const;
const LATIN = COMPILED_LANGUAGES.filter(({ script }) => script === "latin");

/** Returns the languages that a sentence looks most like; if that is unclear, those of the surrounding text. */
export function languagesFor(said: string, home: readonly CompiledLanguage[]): readonly CompiledLanguage[] {
  const languages = languagesOf(said);
  if (languages.length > 0 && languages.length < LATIN.length) return languages;
  const shared = home.filter((language) => languages.includes(language));
  return shared.length > 0 ? shared : languages;
}

/** Returns the languages that the beginning of a text looks most like. */
export function languagesOf(text: string): readonly CompiledLanguage[] {
  const said = smallLetters(text.slice(0, SAMPLE));
  const script = SCRIPTS.find(([, letters]) => letters.test(said))?.[0];
  const own = COMPILED_LANGUAGES.filter((language) => language.script === script);
  if (!/\p{Script=Latin}/u.test(said)) return own;
  const counts = LATIN.map(({ marks }) => count(marks, said));
  const most = Math.max(...counts);
  // File names and commands are in Latin letters in every language.
  if (most === 0) return own.length > 0 ? own : LATIN;
  return [...own, ...LATIN.filter((_, index) => counts[index] === most)];
}

const count = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;
