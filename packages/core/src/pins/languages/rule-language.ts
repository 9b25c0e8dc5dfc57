/**
 * How rules and their retractions are phrased in one language. Every entry is a lowercase regular expression; a space
 * matches any whitespace, and an apostrophe matches either kind or none. In languages with spaces, entries end at a
 * word boundary. A full stop in a negated set excludes only one that ends a sentence, so that file names stay whole. Do
 * not nest repetitions: a message may have any length.
 */
export interface RuleLanguage {
  readonly name: string;
  /** Its script. Entries for `han` and `kana` need not end at a word boundary, because they have no spaces. */
  readonly script: "latin" | "cyrillic" | "arabic" | "hangul" | "han" | "kana";
  /** Frequent words that tell apart languages of one script; empty for the only language of its script. */
  readonly marks: readonly string[];
  /** What may precede an order without changing it: "please", "also", "make sure that". */
  readonly openers: readonly string[];
  /** How a sentence that narrates something begins: an order in it needs a clause of its own. */
  readonly telling: readonly string[];
  /** How a sentence that reports what somebody else said begins, up to the verb: "the docs say", "Bob told me". */
  readonly reports: readonly string[];
  /** How a text is handed over to be worked on, up to the colon: "translate this into French", "what does it mean". */
  readonly handsOver: readonly string[];
  /** How a text is shown, up to the colon: "here is the mail". */
  readonly shows: readonly string[];
  /** Words that join clauses. */
  readonly joins: readonly string[];
  /** The joining words that express a contrast: "but". */
  readonly contrasts: readonly string[];
  /** What only looks like an order at the beginning of a clause: "never mind", "don't know", "never seen". */
  readonly notOrders: readonly string[];
  /** What makes a clause a rule, at its beginning: "never". */
  readonly orders: readonly string[];
  /** What makes a sentence a rule anywhere in it, unless the sentence narrates something. */
  readonly standing: readonly string[];
  /** What makes a sentence a rule anywhere in it, even if it narrates something. */
  readonly anywhere: readonly string[];
  /** How a request phrased as a question begins: "could you please". An order must follow. */
  readonly polite: readonly string[];
  /** What makes such a question a rule: "not". */
  readonly politeNot: readonly string[];
  /** Whole sentences without a verb: "no new dependencies". */
  readonly elliptic: readonly string[];
  /** What makes a clause a possible rule, at its beginning: "you must". */
  readonly doubtful: readonly string[];
  /** What limits a rule to the moment: "yet", "today". */
  readonly oneOff: readonly string[];
  /** Whole clauses that mean nothing without their context: "don't do that again". */
  readonly unclear: readonly string[];
  /** Takes back a rule that is named or described: "forget the rule about", "ignore what I said about". */
  readonly takesBack: readonly string[];
  /** Takes back what was said last, whatever it was: "forget that". */
  readonly takesBackLast: readonly string[];
  /** Allows what may have been forbidden: "you may now". */
  readonly allows: readonly string[];
  /** Provides for an exception that somebody may grant: "without asking". Granting it takes no rule back. */
  readonly approvals: readonly string[];
  /** Headings under which every item is a rule. */
  readonly headings: readonly string[];
  /** How a sentence or line that makes an exception to the one before it begins: "unless". */
  readonly exceptions: readonly string[];
  /** How a line that continues the one before it begins: "and". */
  readonly continuations: readonly string[];
  /** Abbreviations, with their full stop, that do not end a sentence. */
  readonly abbreviations: readonly string[];
  /** The abbreviations that may also end a sentence. */
  readonly closingAbbreviations: readonly string[];
  /** Words that do not distinguish one rule from another, separated by spaces. */
  readonly emptyWords: string;
  /** Groups of verbs that forbid or allow the same thing, the verbs of a group separated by spaces. */
  readonly sameVerbs: readonly string[];
}

const NOTHING = /(?!)/y;
/** Any place that is not inside a word: the next character continues no word, or the previous one does not. */
const EDGE = "(?:(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_]))";

const UP_TO_COLON = "[^.!?;:：。！？؟؛]{0,120}[:：]";

/**
 * A language with its entries as regular expressions: the sticky ones match at one place, the others anywhere. All of
 * them are for texts in {@link smallLetters}: made to ignore case, they take Node three times as long to compile, and
 * compiling those of one language was more than half of the time that a process needs for its first message.
 */
export interface CompiledLanguage {
  readonly marks: RegExp;
  readonly script: RuleLanguage["script"];
  readonly openers: RegExp;
  readonly telling: RegExp;
  readonly reports: RegExp;
  /** Both `handsOver` and `shows` end after the colon. */
  readonly handsOver: RegExp;
  readonly shows: RegExp;
  /** Matches the end of a text that announces rules. */
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
 * Returns a language whose entries are regular expressions. Each is compiled when it is first used: compiling all of
 * them takes as long as loading the rest of this package, and most texts need those of only one language.
 */
export function compiledLanguage(language: RuleLanguage): CompiledLanguage {
  const isUnspaced = isRunning(language);
  const edge = isUnspaced ? "" : EDGE;
  const start = isUnspaced ? "" : "(?<![\\p{L}\\p{N}_])";
  const all = (entries: readonly string[]): string => `(?:${entries.map(sourceOf).join("|")})`;
  const at = (entries: readonly string[], end = edge): RegExp =>
    entries.length === 0 ? NOTHING : new RegExp(`${all(entries)}${end}`, "uy");
  const within = (entries: readonly string[]): RegExp =>
    entries.length === 0 ? NOTHING : new RegExp(`${start}${all(entries)}${edge}`, "u");
  const joining = (words: readonly string[]): RegExp =>
    words.length === 0 ? /(?!)/g : new RegExp(isUnspaced ? all(words) : `\\s${all(words)}\\s+`, "gu");
  const wholeEnd = "(?=\\s*(?:[.,!;…)—–。！，、،؛]|$))";
  return madeWhenAsked(language.script, {
    marks: () => (language.marks.length === 0 ? /(?!)/g : new RegExp(`${start}${all(language.marks)}${edge}`, "gu")),
    openers: () => at(language.openers),
    telling: () => at(language.telling),
    reports: () => at(language.reports),
    handsOver: () => at(language.handsOver, `${edge}${UP_TO_COLON}`),
    shows: () => at(language.shows, `${edge}${UP_TO_COLON}`),
    announcesRules: () => new RegExp(`${start}${all(language.headings)}\\s*$`, "u"),
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

/** The words of one language for {@link writtenIn}. */
interface WritingWords {
  /** Articles and the like before the name of a thing. */
  readonly before: string;
  readonly things: string;
  readonly and: string;
  readonly always: string;
  readonly how: string;
}

/**
 * Returns an entry of `orders` for sentences without a verb that say how something is to be written: "comments always
 * in English". Some begin like sentences that narrate, so they are recognized by being over at once.
 */
export const writtenIn = ({ before, things, and, always, how }: WritingWords): string =>
  `(?:(?:${before}) ){0,3}(?:${things})(?:,? (?:${and}) (?:(?:${before}) ){0,2}(?:${things})){0,2}(?:,? (?:${always})){0,2} (?:${how})(?:,? (?:${always})){0,2}(?=[\\s.!…)]*$)`;

/** The words of one language for {@link followsOnce}. */
interface ConsequenceWords {
  /** What refers to the turn before, at the beginning of a sentence: "then", "in that case". */
  readonly hence: string;
  readonly only: string;
  /** Words that make an order last anyhow: "never", "from now on", "use". */
  readonly lasting: string;
}

/**
 * Returns an entry of `oneOff` for orders that follow from the turn before and are done with once they are carried out:
 * "Then only exchange the lamp", as customers say to an agent of a service.
 */
export const followsOnce = ({ hence, only, lasting }: ConsequenceWords): string =>
  `(?<=^(?:\\p{L}{1,8}[,.!] ?){0,2})(?:${hence})(?![^.!?]{0,160} (?:${lasting})(?:[\\s,.!]|$))[,،]? (?:[^\\s.!?;:]+ ){0,6}?(?:${only})`;

/** True for a language that is written without spaces. */
export const isRunning = ({ script }: RuleLanguage): boolean => script === "han" || script === "kana";

/** The regular expression source of an entry; see {@link RuleLanguage}. */
const sourceOf = (entry: string): string =>
  entry
    .replace(/\[\^[^\]]*\.[^\]]*\]/g, (set) => `(?:${set}|\\.(?=\\S))`)
    .replaceAll(" ?", "\\s?")
    .replaceAll(" ", "\\s+")
    .replace(/(?<=\p{L})'(?=\p{L})/gu, "'?");

const MOST_OPENERS = 6;

/** Returns the place after any openers, where an order may begin. */
export function behindOpeners(said: string, start: number, language: CompiledLanguage): number {
  let at = skipSigns(said, start);
  for (let count = 0; count < MOST_OPENERS; count++) {
    const next = place(language.openers, said, at);
    if (next < 0 || next === at) return at;
    at = skipSigns(said, next);
  }
  return at;
}

const SIGNS = /[\s"'“”„«»*_>([.,:;!…،؛—–-]*/y;

/** Returns the place after any whitespace and punctuation. */
export function skipSigns(said: string, start: number): number {
  SIGNS.lastIndex = start;
  SIGNS.test(said);
  return SIGNS.lastIndex;
}

/** Returns where a match that begins at a place ends; −1 when there is no match. */
export function place(pattern: RegExp, said: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(said) ? pattern.lastIndex : -1;
}

/** Returns a text in small letters at the same length, so that a place in one is the same place in the other. */
export function smallLetters(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : Array.from(text, smallLetter).join("");
}

function smallLetter(letter: string): string {
  const small = letter.toLowerCase();
  return small.length === letter.length ? small : letter;
}

const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
/** Vowel signs of Arabic and the stroke that stretches a word; most people leave them out. */
const ARABIC_SIGNS = /[\u0640\u064b-\u0652\u0670]/g;
const ARABIC_LETTERS = /[\u0622\u0623\u0625\u0649\u0671]/g;
const STYLED = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/gu;
const APOSTROPHE = /(?<=\p{L})[\u2018\u2019\u02bc\u00b4`\uff07](?=\p{L})/gu;
/** Latin letters, and the Cyrillic and Greek letters that look the same, in the same order. */
const LATIN_LETTERS = "aceijopsxyhABCEHIJKMOPSTXYoivABEHIKMNOPTXYZ";
const LOOK_ALIKES = "асеіјорѕхуһАВСЕНІЈКМОРЅТХУοινΑΒΕΗΙΚΜΝΟΡΤΧΥΖ";
const asLatin = new Map(Array.from(LOOK_ALIKES, (letter, index) => [letter, LATIN_LETTERS[index] as string]));
const MIXES_LETTERS = /[a-zA-Z][\u0370-\u052f]|[\u0370-\u052f][a-zA-Z]/;
const WORD = /\p{L}+/gu;

/**
 * Returns a text without invisible characters, in letters of one width and style, and with one kind of apostrophe. A
 * Latin word in which some letters are look-alikes from Greek or Cyrillic becomes all Latin. Arabic loses its vowel
 * signs and has one letter for all forms of alif, and one for both forms of ya.
 */
export function plainLetters(text: string): string {
  const plain = text
    .replace(UNSEEN, "")
    .replace(ARABIC_SIGNS, "")
    .replace(ARABIC_LETTERS, (letter) => (letter === "\u0649" ? "\u064a" : "\u0627"))
    .replace(STYLED, (letter) => letter.normalize("NFKC"))
    .replace(APOSTROPHE, "'");
  return MIXES_LETTERS.test(plain) ? plain.replace(WORD, inOneScript) : plain;
}

function inOneScript(word: string): string {
  if (!MIXES_LETTERS.test(word)) return word;
  const latin = Array.from(word, (letter) => asLatin.get(letter) ?? letter).join("");
  return /^[a-z]+$/i.test(latin) ? latin : word;
}
