import { LANGUAGES } from "./languages.ts";
import type { RuleLanguage } from "./rule-language.ts";

const NOTHING = /(?!)/y;
/** The end of a word, or a place behind one. */
const EDGE = "(?:(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_]))";

/** A language with its entries as regular expressions: those that are sticky look at one place, the others anywhere. */
export interface CompiledLanguage {
  readonly marks: RegExp;
  readonly script: RuleLanguage["script"];
  readonly openers: RegExp;
  readonly telling: RegExp;
  readonly joins: RegExp;
  readonly contrasts: RegExp;
  readonly notOrders: RegExp;
  readonly orders: RegExp;
  readonly standing: RegExp;
  readonly anywhere: RegExp;
  readonly polite: RegExp;
  readonly politeNot: RegExp;
  readonly elliptic: RegExp;
  readonly doubtful: RegExp;
  readonly oneOff: RegExp;
  readonly unclear: RegExp;
  readonly takesBack: RegExp;
  readonly takesBackLast: RegExp;
  readonly allows: RegExp;
}

function compiled(language: RuleLanguage): CompiledLanguage {
  const isUnspaced = isRunning(language);
  const edge = isUnspaced ? "" : EDGE;
  const start = isUnspaced ? "" : "(?<![\\p{L}\\p{N}_])";
  const all = (entries: readonly string[]): string => `(?:${entries.map(sourceOf).join("|")})`;
  const at = (entries: readonly string[], end = edge): RegExp =>
    entries.length === 0 ? NOTHING : new RegExp(`${all(entries)}${end}`, "iuy");
  const within = (entries: readonly string[]): RegExp =>
    entries.length === 0 ? NOTHING : new RegExp(`${start}${all(entries)}${edge}`, "iu");
  const joining = (words: readonly string[]): RegExp =>
    words.length === 0 ? /(?!)/g : new RegExp(isUnspaced ? all(words) : `\\s${all(words)}\\s+`, "giu");
  const wholeEnd = "(?=\\s*(?:[.,!;…)—–。！，、]|$))";
  return {
    marks: language.marks.length === 0 ? /(?!)/g : new RegExp(`${start}${all(language.marks)}${edge}`, "giu"),
    script: language.script,
    openers: at(language.openers),
    telling: at(language.telling),
    joins: joining(language.joins),
    contrasts: joining(language.contrasts),
    notOrders: at(language.notOrders),
    orders: at(language.orders),
    standing: within(language.standing),
    anywhere: within(language.anywhere),
    polite: at(language.polite),
    politeNot: at(language.politeNot),
    elliptic: at(language.elliptic, "\\s*[.!…]*[\\s)\\]\"'”*_]*$"),
    doubtful: at(language.doubtful),
    oneOff: within(language.oneOff),
    unclear: at(language.unclear, wholeEnd),
    takesBack: at(language.takesBack),
    takesBackLast: at(language.takesBackLast),
    allows: at(language.allows),
  };
}

/** True for a language that is written without spaces. */
export const isRunning = ({ script }: RuleLanguage): boolean => script === "han" || script === "kana";

/** An entry as a regular expression; see {@link RuleLanguage}. */
const sourceOf = (entry: string): string =>
  entry
    .replace(/\[\^[^\]]*\.[^\]]*\]/g, (set) => `(?:${set}|\\.(?=\\S))`)
    .replaceAll(" ?", "\\s?")
    .replaceAll(" ", "\\s+")
    .replace(/(?<=\p{L})'(?=\p{L})/gu, "'?");

/** {@link LANGUAGES}, ready to be looked for. */
export const COMPILED_LANGUAGES: readonly CompiledLanguage[] = LANGUAGES.map(compiled);
