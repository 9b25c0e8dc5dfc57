/**
 * How rules and their retractions sound in one language. Every entry is a regular expression in small letters; a space
 * stands for any white space, an apostrophe for either kind or none. Entries end at the end of a word, where the language
 * has spaces. A full stop that a set leaves out is one that ends a sentence, so that names of files stay whole. Keep
 * entries without nested repetitions: a message may be of any length.
 */
export interface RuleLanguage {
  readonly name: string;
  /** Its letters. Entries for `han` and `kana` need not end at the end of a word, since there are no spaces. */
  readonly script: "latin" | "cyrillic" | "han" | "kana";
  /** Frequent words, by which languages of one script are told apart; none for the only one of its script. */
  readonly marks: readonly string[];
  /** What may stand before an order, and says nothing of it: "please", "also", "make sure that". */
  readonly openers: readonly string[];
  /** How a sentence begins that tells of something: an order in it needs a clause of its own. */
  readonly telling: readonly string[];
  /** How a sentence begins that tells what somebody else said, up to the verb: "the docs say", "Bob told me". */
  readonly reports: readonly string[];
  /** How a text is handed over to be worked on, before its colon: "translate this into French", "what does it mean". */
  readonly handsOver: readonly string[];
  /** How one is shown, before its colon: "here is the mail". */
  readonly shows: readonly string[];
  /** Words that begin another clause. */
  readonly joins: readonly string[];
  /** Those of them that turn against what was said. */
  readonly contrasts: readonly string[];
  /** What only looks like an order at the beginning of a clause: "never mind", "don't know", "never seen". */
  readonly notOrders: readonly string[];
  /** Rules, at the beginning of a clause. */
  readonly orders: readonly string[];
  /** Rules wherever they stand in a sentence that does not tell of something. */
  readonly standing: readonly string[];
  /** Patterns that make a rule wherever in a sentence they match. */
  readonly anywhere: readonly string[];
  /** How a request begins that is put as a question: "could you please". An order is to follow. */
  readonly polite: readonly string[];
  /** What makes a rule of such a question: "not". */
  readonly politeNot: readonly string[];
  /** Whole sentences without a verb: "no new dependencies". */
  readonly elliptic: readonly string[];
  /** May be a rule, at the beginning of a clause: "you must". */
  readonly doubtful: readonly string[];
  /** What makes a rule one for the moment: "yet", "today". */
  readonly oneOff: readonly string[];
  /** Whole clauses that say nothing without what was said before: "don't do that again". */
  readonly unclear: readonly string[];
  /** Takes back a rule that is named or spoken of: "forget the rule about", "ignore what I said about". */
  readonly takesBack: readonly string[];
  /** Takes back what was said last, whatever it was: "forget that". */
  readonly takesBackLast: readonly string[];
  /** Allows what may have been forbidden: "you may now". */
  readonly allows: readonly string[];
  /** Foresees an exception that somebody grants: "without asking". To grant it takes no rule back. */
  readonly approvals: readonly string[];
  /** Headings under which every item is a rule. */
  readonly headings: readonly string[];
  /** How a sentence or line begins that makes an exception from the one before: "unless". */
  readonly exceptions: readonly string[];
  /** How a line begins that goes on from the one before: "and". */
  readonly continuations: readonly string[];
  /** Abbreviations with their full stop, behind which a sentence goes on. */
  readonly abbreviations: readonly string[];
  /** Those of them behind which it may also end. */
  readonly closingAbbreviations: readonly string[];
  /** Words that do not tell one rule from another. Separated by spaces. */
  readonly emptyWords: string;
  /** Verbs that forbid or allow the same, each group separated by spaces. */
  readonly sameVerbs: readonly string[];
}

const NOTHING = /(?!)/y;
/** The end of a word, or a place behind one. */
const EDGE = "(?:(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_]))";

const UP_TO_COLON = "[^.!?;:：。！？]{0,120}[:：]";

/** A language with its entries as regular expressions: those that are sticky look at one place, the others anywhere. */
export interface CompiledLanguage {
  readonly marks: RegExp;
  readonly script: RuleLanguage["script"];
  readonly openers: RegExp;
  readonly telling: RegExp;
  readonly reports: RegExp;
  /** Both end behind the colon. */
  readonly handsOver: RegExp;
  readonly shows: RegExp;
  /** Ends a text that announces rules. */
  readonly announcesRules: RegExp;
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

/**
 * A language, ready to be looked for. An expression is made when it is first looked with: all of them together take as long
 * as loading the rest of this package, and a text is looked through with those of one language, mostly.
 */
export function compiledLanguage(language: RuleLanguage): CompiledLanguage {
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
  return madeWhenAsked(language.script, {
    marks: () => (language.marks.length === 0 ? /(?!)/g : new RegExp(`${start}${all(language.marks)}${edge}`, "giu")),
    openers: () => at(language.openers),
    telling: () => at(language.telling),
    reports: () => at(language.reports),
    handsOver: () => at(language.handsOver, `${edge}${UP_TO_COLON}`),
    shows: () => at(language.shows, `${edge}${UP_TO_COLON}`),
    announcesRules: () => new RegExp(`${start}${all(language.headings)}\\s*$`, "iu"),
    joins: () => joining(language.joins),
    contrasts: () => joining(language.contrasts),
    notOrders: () => at(language.notOrders),
    orders: () => at(language.orders),
    standing: () => within(language.standing),
    anywhere: () => within(language.anywhere),
    polite: () => at(language.polite),
    politeNot: () => at(language.politeNot),
    elliptic: () => at(language.elliptic, "\\s*[.!…]*[\\s)\\]\"'”*_]*$"),
    doubtful: () => at(language.doubtful),
    oneOff: () => within(language.oneOff),
    unclear: () => at(language.unclear, wholeEnd),
    takesBack: () => at(language.takesBack),
    takesBackLast: () => at(language.takesBackLast),
    allows: () => at(language.allows),
  });
}

type Expressions = Omit<CompiledLanguage, "script">;

function madeWhenAsked(
  script: CompiledLanguage["script"],
  makers: { readonly [Name in keyof Expressions]: () => RegExp },
): CompiledLanguage {
  const language = { script };
  for (const [name, make] of Object.entries(makers))
    Object.defineProperty(language, name, {
      configurable: true,
      get: () => {
        const value = make();
        Object.defineProperty(language, name, { value });
        return value;
      },
    });
  return language as CompiledLanguage;
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

const MOST_OPENERS = 6;

/** The place behind what may stand before an order. */
export function behindOpeners(said: string, start: number, language: CompiledLanguage): number {
  let at = skipSigns(said, start);
  for (let count = 0; count < MOST_OPENERS; count++) {
    const next = place(language.openers, said, at);
    if (next < 0 || next === at) return at;
    at = skipSigns(said, next);
  }
  return at;
}

const SIGNS = /[\s"'“”„«»*_>([.,:;!…—–-]*/y;

export function skipSigns(said: string, start: number): number {
  SIGNS.lastIndex = start;
  SIGNS.test(said);
  return SIGNS.lastIndex;
}

/** Where a match ends that begins at a place; −1 when there is none. */
export function place(pattern: RegExp, said: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(said) ? pattern.lastIndex : -1;
}

const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
const STYLED = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/gu;
const APOSTROPHE = /(?<=\p{L})[\u2018\u2019\u02bc\u00b4`\uff07](?=\p{L})/gu;
/** Latin letters, and those of Greek and Cyrillic that look the same, in the same order. */
const LATIN_LETTERS = "aceijopsxyhABCEHIJKMOPSTXYoivABEHIKMNOPTXYZ";
const LOOK_ALIKES = "асеіјорѕхуһАВСЕНІЈКМОРЅТХУοινΑΒΕΗΙΚΜΝΟΡΤΧΥΖ";
const asLatin = new Map(Array.from(LOOK_ALIKES, (letter, index) => [letter, LATIN_LETTERS[index] as string]));
const MIXES_LETTERS = /[a-zA-Z][\u0370-\u052f]|[\u0370-\u052f][a-zA-Z]/;
const WORD = /\p{L}+/gu;

/**
 * A text as it is read: without signs that nobody sees, in letters of one width and kind, with one apostrophe. A word of
 * Latin letters with some that only look so is one of Latin letters.
 */
export function plainLetters(text: string): string {
  const plain = text
    .replace(UNSEEN, "")
    .replace(STYLED, (letter) => letter.normalize("NFKC"))
    .replace(APOSTROPHE, "'");
  return MIXES_LETTERS.test(plain) ? plain.replace(WORD, inOneScript) : plain;
}

function inOneScript(word: string): string {
  if (!MIXES_LETTERS.test(word)) return word;
  const latin = Array.from(word, (letter) => asLatin.get(letter) ?? letter).join("");
  return /^[a-z]+$/i.test(latin) ? latin : word;
}
