import { type Authority, mayLift, type Pin } from "../thread/thread-entry.ts";
import { LANGUAGES } from "./languages/languages.ts";
import { isRunning, plainLetters } from "./languages/rule-language.ts";
import type { RuleReading } from "./read-rules.ts";

/** What a retraction takes back: certainly one rule, possibly one of several, or nothing known. */
export type TakenBack =
  | { readonly type: "one"; readonly pin: Pin }
  /** `isNamed` is true when it says something about the rule that it refers to. */
  | { readonly type: "unsure"; readonly pins: readonly Pin[]; readonly isNamed: boolean }
  | { readonly type: "none" };

type Retraction = Extract<RuleReading, { readonly kind: "retraction" }>;

/** The share of the words in a retraction that the rule must contain. */
const NAMED = 0.5;
/** The share of what a permission allows that the rule must forbid, and of what the rule forbids that it must allow. */
const ALLOWED = 0.75;
const FORBIDDEN = 0.6;
/** The most rules that an uncertain retraction lists as candidates. */
const MOST_UNSURE = 8;

/**
 * Finds the rule that a retraction takes back. Only a certain match lifts a rule: the words and names point to one rule
 * and no other, or there is only one rule. Nobody can take back a rule of a higher authority.
 *
 * @param pins the rules in force, including those of the same message.
 * @param last the rule directly before the retraction in the same message.
 */
export function takenBack(
  { speaksOf, about }: Retraction,
  authority: Authority,
  pins: readonly Pin[],
  last: Pin | undefined,
): TakenBack {
  const object = readMeaning(about);
  if (object.words.size === 0) return lastOne(speaksOf, authority, pins, last);
  const matching = pins.filter((pin) => (speaksOf === "permission" ? allows(object, pin) : names(object, pin)));
  const [only] = matching;
  if (only !== undefined && matching.length === 1 && mayLift(authority, only.authority))
    return { type: "one", pin: only };
  if (matching.length > 0) return { type: "unsure", pins: matching.slice(0, MOST_UNSURE), isNamed: true };
  const touched = pins.filter((pin) => shared(object, meaningOf(pin)) > 0);
  if (touched.length > 0) return { type: "unsure", pins: touched.slice(0, MOST_UNSURE), isNamed: true };
  return speaksOf === "rule" && pins.length > 0 ? { type: "unsure", pins: [], isNamed: true } : { type: "none" };
}

/** Resolves "Forget that rule" to the rule that was just stated, or to the only one that there is. */
function lastOne(
  speaksOf: Retraction["speaksOf"],
  authority: Authority,
  pins: readonly Pin[],
  last: Pin | undefined,
): TakenBack {
  if (last !== undefined && speaksOf !== "permission") return { type: "one", pin: last };
  if (speaksOf !== "rule") return { type: "none" };
  const liftable = pins.filter((pin) => mayLift(authority, pin.authority));
  const [only] = liftable;
  if (only !== undefined && liftable.length === 1) return { type: "one", pin: only };
  return pins.length === 0 ? { type: "none" } : { type: "unsure", pins: liftable.slice(-MOST_UNSURE), isNamed: false };
}

/** True when a rule is the one that a retraction is about. */
function names(object: Meaning, pin: Pin): boolean {
  const rule = meaningOf(pin);
  return hasAll(rule.names, object.names) && shared(object, rule) / object.words.size >= NAMED;
}

/**
 * True when a permission allows what the rule forbids, and little else. A rule that provides for an exception is not
 * taken back by granting that exception.
 */
function allows(object: Meaning, pin: Pin): boolean {
  if (APPROVALS.test(pin.text)) return false;
  const rule = meaningOf(pin);
  const common = shared(object, rule);
  return (
    hasAll(rule.names, object.names) &&
    hasAll(object.names, rule.names) &&
    common / object.words.size >= ALLOWED &&
    common / rule.words.size >= FORBIDDEN
  );
}

const hasAll = (set: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean =>
  [...wanted].every((one) => set.has(one));

const shared = ({ words }: Meaning, { words: others }: Meaning): number =>
  [...words].filter((word) => others.has(word)).length;

/** The words of a text that distinguish one rule from another, and which of them name files, packages or options. */
interface Meaning {
  readonly words: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

const TOKEN =
  /[\u3040-\u30ff\u4e00-\u9fff]+|(?:(?![\u3040-\u30ff\u4e00-\u9fff])[\p{L}\p{N}_@])(?:(?![\u3040-\u30ff\u4e00-\u9fff])[\p{L}\p{N}_./@:-])*/gu;
const NAME = /[./_@:\d]/;
const UNSPACED = /^[\u3040-\u30ff\u4e00-\u9fff]/;
/** How much of a text is compared, in UTF-16 code units: enough for any rule, and it bounds the cost. */
const READ = 1_600;

const SPACED = LANGUAGES.filter((language) => !isRunning(language));
const RUNNING = LANGUAGES.filter(isRunning);
const EMPTY = new Set(SPACED.flatMap(({ emptyWords }) => emptyWords.split(" ")));
const SAME = sameVerbs();

/** Maps each verb to the one that represents its group; groups in different languages that share a verb are merged. */
function sameVerbs(): ReadonlyMap<string, string> {
  const same = new Map<string, string>();
  for (const group of SPACED.flatMap(({ sameVerbs: groups }) => groups)) {
    const verbs = group.split(" ");
    const first = verbs.flatMap((verb) => same.get(verb) ?? [])[0] ?? (verbs[0] as string);
    for (const verb of verbs) if (!same.has(verb)) same.set(verb, first);
  }
  return same;
}

const APPROVALS = new RegExp(
  [
    `(?<![\\p{L}\\p{N}_])(?:${SPACED.flatMap(({ approvals }) => approvals).join("|")})`,
    ...RUNNING.flatMap(({ approvals }) => approvals),
  ].join("|"),
  "iu",
);
/**
 * In scripts without spaces, empty words are removed, longest first, and the rest is compared in pairs of characters.
 */
const EMPTY_SIGNS = new RegExp(
  RUNNING.flatMap(({ emptyWords }) => emptyWords.split(" "))
    .sort((a, b) => b.length - a.length)
    .join("|"),
  "g",
);
const SAME_SIGNS = RUNNING.flatMap(({ sameVerbs }) =>
  sameVerbs.map((group) => {
    const [first = "", ...others] = group.split(" ").filter((verb) => UNSPACED.test(verb));
    return { first, others: new RegExp([...others].sort((a, b) => b.length - a.length).join("|") || "(?!)", "g") };
  }),
);

const meanings = new WeakMap<Pin, Meaning>();

function meaningOf(pin: Pin): Meaning {
  const known = meanings.get(pin) ?? readMeaning(pin.text);
  meanings.set(pin, known);
  return known;
}

function readMeaning(text: string): Meaning {
  const words = new Set<string>();
  const names = new Set<string>();
  for (const [found] of plainLetters(text.slice(0, READ)).toLowerCase().matchAll(TOKEN)) {
    const token = found.replace(/[./:-]+$/, "");
    if (UNSPACED.test(token)) for (const pair of pairsOf(token)) words.add(pair);
    else if (NAME.test(token)) {
      words.add(token);
      names.add(token);
    } else for (const part of token.split("-")) if (part.length > 1 && !EMPTY.has(part)) words.add(stemOf(part));
  }
  return { words, names };
}

function pairsOf(run: string): readonly string[] {
  const same = SAME_SIGNS.reduce((signs, { first, others }) => signs.replace(others, first), run);
  return same
    .replace(EMPTY_SIGNS, " ")
    .split(" ")
    .flatMap((part) =>
      part.length < 2 ? [] : Array.from({ length: part.length - 1 }, (_, index) => part.slice(index, index + 2)),
    );
}

/** Particles and endings behind a Korean word, and the article and endings around an Arabic one. */
const KOREAN_ENDING = /(?<=[가-힣])(?:에서는|에서|에게|으로|은|는|이|가|을|를|에|의|도|만|로|과|와)$/u;
const ARABIC_AFFIX =
  /^(?:[وفبك]?ال|لل|[وفب](?=\p{L}{3}))(?=\p{Script=Arabic}{2})|(?<=\p{Script=Arabic}{3})(?:ها|هم|ات|ين|ون|ه|ة)$/gu;

/** Returns roughly the same stem for all forms of a word. */
function stemOf(whole: string): string {
  const word = whole.replace(KOREAN_ENDING, "").replace(ARABIC_AFFIX, "");
  const verb = SAME.get(whole) ?? SAME.get(word) ?? word;
  const bare = verb.length > 4 ? verb.replace(/(?:ing|ed|es|s|e|en|er|n)$/u, "") : verb;
  const same = SAME.get(bare) ?? SAME.get(`${bare}e`) ?? bare;
  return (same === bare ? bare : same.length > 4 ? same.replace(/(?:ing|ed|es|s|e|en|er|n)$/u, "") : same).slice(0, 7);
}
