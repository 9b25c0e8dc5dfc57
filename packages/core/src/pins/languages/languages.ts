import { chinese } from "./chinese.ts";
import { english } from "./english.ts";
import { french } from "./french.ts";
import { german } from "./german.ts";
import { japanese } from "./japanese.ts";
import { portuguese } from "./portuguese.ts";
import { type CompiledLanguage, compiledLanguage, type RuleLanguage } from "./rule-language.ts";
import { russian } from "./russian.ts";
import { spanish } from "./spanish.ts";

/** The languages that rules are found in. To add one, add its file and its line. */
export const LANGUAGES: readonly RuleLanguage[] = [
  english,
  german,
  french,
  spanish,
  portuguese,
  russian,
  chinese,
  japanese,
];

/** {@link LANGUAGES}, ready to be looked for. */
export const COMPILED_LANGUAGES: readonly CompiledLanguage[] = LANGUAGES.map(compiledLanguage);
