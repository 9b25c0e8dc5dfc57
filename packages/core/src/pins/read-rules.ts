import { finishSteps, type Steps } from "../time/steps.ts";
import { languagesFor, languagesOf } from "./languages/languages.ts";
import { behindOpeners, type CompiledLanguage, place, skipSigns } from "./languages/rule-language.ts";
import { MAIL_HEAD, quotesIn, type Spoken, SpokenText } from "./pasted-text.ts";
import { asksFor, type Statement, statementsOf } from "./statements.ts";

/** Why something that sounds like a rule may not be one. */
export type RuleDoubt =
  /** It applies only for now: "don't push yet". */
  | "one-off"
  /** It means nothing without its context ("never do that again"), or may belong to a text that was handed over. */
  | "unclear"
  /** It may be either a rule or a one-time request: "you must rename it". */
  | "weak"
  /** It is longer than the longest rule that can be pinned, and a rule is never cut. */
  | "too-long"
  /** It announces something that does not follow: "You must not:". */
  | "incomplete";

/** A passage of a text that is a rule, may be one, or takes one back. */
export type RuleReading = {
  /** Range in the text, in UTF-16 code units; `text` is the text of that range. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
} & (
  | { readonly kind: "rule" }
  | { readonly kind: "candidate"; readonly doubt: RuleDoubt }
  | {
      readonly kind: "retraction";
      /** What it refers to: a rule that it mentions, the last thing said, or something that it now allows. */
      readonly speaksOf: "rule" | "last" | "permission";
      /** The clause that names what is taken back. */
      readonly about: string;
    }
);

/** The longest rule that is pinned, in UTF-16 code units. Rules are never cut: a longer one becomes a candidate. */
export const LONGEST_RULE = 1_600;
const SHORTEST_RULE = 4;
/** The longest sentence that can be a rule without having a verb; such sentences are short. */
const LONGEST_ELLIPSIS = 120;
const MOST_CLAUSES = 60;
/** The number of statements that are read in one step. */
const STATEMENTS_A_STEP = 8;

/**
 * Finds the rules, possible rules and retractions in a text, in the order in which they appear. Each is a whole
 * sentence, or a whole list with its lead-in, never a part of one. Deterministic and linear in the length of the text.
 *
 * @param trusted true for system text, which consists of instructions throughout.
 */
export function readRules(text: string, trusted = false): readonly RuleReading[] {
  return finishSteps(readRulesInSteps(text, trusted));
}

/** Does the same as {@link readRules}, in steps. */
export function* readRulesInSteps(text: string, trusted = false): Steps<readonly RuleReading[]> {
  const readings: RuleReading[] = [];
  const home = languagesOf(text);
  const waiting = [...(yield* statementsOf(text, trusted))].reverse();
  const spoken = new SpokenText(text, yield* quotesIn(text));
  const others = trusted ? undefined : new OthersText(home);
  let read = 0;
  for (let statement = waiting.pop(); statement !== undefined; statement = waiting.pop()) {
    if (read++ % STATEMENTS_A_STEP === 0) yield;
    const { start, leadEnd } = statement;
    const said = spoken.between(start, Math.min(leadEnd, start + LONGEST_RULE));
    const languages = languagesFor(said.masked, home);
    const whose = others?.read(said.masked, statement, languages) ?? "own";
    if (whose === "other") continue;
    if (addReading(text, statement, said, languages, whose, readings)) continue;
    for (const item of statement.items.toReversed()) waiting.push(item);
  }
  return readings;
}

/** Whose words a statement is in: "unclear" when it may belong to a text that somebody else wrote. */
type Whose = "own" | "other" | "unclear";

/** Tracks which parts of a text somebody else wrote: a text that is handed over, shown or reported, or an email. */
class OthersText {
  readonly #home: readonly CompiledLanguage[];
  /** The last passage that is somebody else's, and the last one that may be. */
  #other = -1;
  #unclear = -1;
  /** What ends a foreign text of unknown length: always an opener; if it was only shown, also the lead-in of a list. */
  #isShown = false;
  #mailHead = 0;
  #passage = -1;

  constructor(home: readonly CompiledLanguage[]) {
    this.#home = home;
  }

  read(said: string, statement: Statement, languages: readonly CompiledLanguage[]): Whose {
    const { passage, announces } = statement;
    const begins = passage !== this.#passage;
    this.#passage = passage;
    if (passage <= this.#other) return "other";
    if (begins && this.#unclear === ENDLESS && speaksAnew(said, languages, this.#isShown)) this.#unclear = -1;
    this.#mailHead = MAIL_HEAD.test(said) ? this.#mailHead + 1 : 0;
    if (this.#mailHead > 1) this.#doubt(false);
    const colon = COLON_AHEAD.exec(said)?.[0].length;
    if (colon === undefined) return this.#ownOrUnclear(passage);
    const headLanguages = colon === said.length ? languages : languagesFor(said.slice(0, colon), this.#home);
    const handed = handedOver(said, headLanguages);
    if (handed === undefined) {
      if (announces !== undefined && colon === said.length && isReport(said, headLanguages)) this.#unclear = passage;
      return this.#ownOrUnclear(passage);
    }
    return this.#hand(said.slice(handed.colon).trimStart(), handed.isShown, statement);
  }

  #hand(behind: string, isShown: boolean, { passage, announces, isIncomplete }: Statement): Whose {
    // A quote has an end, and what follows it is the writer's own again.
    if (/^xx/.test(behind)) return "own";
    if (behind !== "") this.#other = passage;
    else if (announces !== "list" && announces !== "pasted") {
      this.#other = isIncomplete ? passage + 1 : passage;
      this.#doubt(isShown);
    }
    return "other";
  }

  #doubt(isShown: boolean): void {
    this.#unclear = ENDLESS;
    this.#isShown = isShown;
  }

  #ownOrUnclear(passage: number): Whose {
    return passage <= this.#unclear ? "unclear" : "own";
  }
}

const ENDLESS = Number.POSITIVE_INFINITY;
const COLON_AHEAD = /^[^:：\n]{1,240}[:：]/;

/** Finds the place after the colon that hands over or shows a text; undefined when the sentence does neither. */
function handedOver(
  said: string,
  languages: readonly CompiledLanguage[],
): { readonly colon: number; readonly isShown: boolean } | undefined {
  for (const language of languages) {
    const first = behindOpeners(said, 0, language);
    const asked = place(language.polite, said, first);
    for (const at of asked < 0 ? [first] : [first, behindOpeners(said, asked, language)]) {
      const handed = place(language.handsOver, said, at);
      const colon = handed < 0 ? place(language.shows, said, at) : handed;
      if (colon >= 0 && !language.announcesRules.test(said.slice(0, colon - 1))) return { colon, isShown: handed < 0 };
    }
  }
  return undefined;
}

/** True when the writer speaks again at the start of a passage: "please", "also" and, `byLead`, "Instructions:". */
const speaksAnew = (said: string, languages: readonly CompiledLanguage[], byLead: boolean): boolean =>
  (byLead && /[:：]\s*$/.test(said)) ||
  languages.some((language) => behindOpeners(said, 0, language) > skipSigns(said, 0));

const isReport = (said: string, languages: readonly CompiledLanguage[]): boolean =>
  languages.some((language) => place(language.reports, said, behindOpeners(said, 0, language)) >= 0);

/** Adds what a statement says. Returns false when it is not a rule as a whole and its items must be read one by one. */
function addReading(
  text: string,
  statement: Statement,
  { plain, masked }: Spoken,
  languages: readonly CompiledLanguage[],
  whose: Whose,
  into: RuleReading[],
): boolean {
  const { start, end, leadEnd } = statement;
  const whole = text.slice(start, end);
  const range = { start, end, text: whole };
  const found = findingOf(masked, statement, languages);
  if (whose === "unclear") {
    if (found.verdict !== "rule" || !whole.isWellFormed() || end - start > LONGEST_RULE) return false;
    into.push({ ...range, kind: "candidate", doubt: "unclear" });
    return true;
  }
  for (const { speaksOf, about } of found.retractions)
    into.push({ ...range, kind: "retraction", speaksOf, about: plain.slice(...about) });
  const isRule = found.verdict === "rule" && whole.isWellFormed();
  if (isRule && !statement.isIncomplete && end - start <= LONGEST_RULE) {
    into.push({ ...range, kind: "rule" });
    return true;
  }
  if (isRule) into.push({ ...range, kind: "candidate", doubt: statement.isIncomplete ? "incomplete" : "too-long" });
  else if (found.verdict !== "rule" && found.verdict !== undefined && whole.isWellFormed())
    into.push({ ...range, end: leadEnd, text: text.slice(start, leadEnd), kind: "candidate", doubt: found.verdict });
  return false;
}

interface Retraction {
  readonly speaksOf: "rule" | "last" | "permission";
  readonly about: readonly [start: number, end: number];
}

/** What was found in one statement. */
interface Finding {
  readonly verdict?: "rule" | RuleDoubt;
  readonly retractions: readonly Retraction[];
  /** True when the sentence begins with something that only looks like an order, and nothing else in it is one. */
  readonly isExcluded?: boolean;
}

const NO_FINDING: Finding = { retractions: [] };

function findingOf(said: string, statement: Statement, languages: readonly CompiledLanguage[]): Finding {
  if (!hasWords(said)) return NO_FINDING;
  const findings = languages.map((language) => findingIn(said, statement, language));
  const retractions = findings.find(({ retractions: found }) => found.length > 0)?.retractions ?? [];
  // Similar languages share words: a phrase that one of them knows not to be an order is not one in the other either.
  if (findings.some(({ isExcluded }) => isExcluded)) return { retractions };
  const verdicts = findings.flatMap(({ verdict }) => verdict ?? []);
  const doubt = verdicts.find((verdict) => verdict !== "rule");
  // If one language takes it for a rule and another has a doubt, the doubt wins.
  if (verdicts.length === 0) return { retractions };
  return { verdict: doubt ?? "rule", retractions };
}

const hasWords = (said: string): boolean => said.length >= SHORTEST_RULE && /\p{L}\P{L}*\p{L}/u.test(said);

function findingIn(said: string, statement: Statement, language: CompiledLanguage): Finding {
  const isQuestion = asksFor(said);
  const first = behindOpeners(said, 0, language);
  if (isQuestion) {
    const asked = place(language.polite, said, first);
    if (asked < 0) return NO_FINDING;
    const ordered = behindOpeners(said, asked, language);
    const verdict = place(language.politeNot, said, ordered) >= 0 ? "rule" : judge(said, [ordered], language, true);
    return verdict === undefined ? NO_FINDING : { verdict, retractions: [] };
  }
  const isReported = [0, first].some((at) => place(language.reports, said, at) >= 0);
  const tells = isReported || place(language.telling, said, first) >= 0;
  const clauses = clauseStarts(said, language, tells);
  const found = clauses.flatMap((clause) => retractionAt(said, clause, language));
  // "Actually, forget it" has a clause start at each opener, but takes back only one thing.
  const begins = found.map(({ about: [start] }) => behindOpeners(said, start, language));
  const retractions = found.filter((_, index) => begins.indexOf(begins[index] as number) === index);
  const rest = retractions.length === 0 ? clauses : clauses.filter((clause) => !isWithin(clause, retractions));
  const ordered = judge(said, rest, language, false);
  if (ordered === "rule" || ordered === "one-off") return { verdict: ordered, retractions };
  const isExcluded = [0, first].some((at) => place(language.notOrders, said, at) >= 0);
  const isOpen = retractions.length === 0 && !isExcluded;
  if (isOpen && statement.underRules && (ordered !== undefined || !tells)) return { verdict: "rule", retractions };
  const verdict = (isOpen && !isReported ? judgeWhole(said, first, rest, tells, language) : undefined) ?? ordered;
  return verdict === undefined ? { retractions, isExcluded } : { verdict, retractions };
}

const isWithin = (clause: number, retractions: readonly Retraction[]): boolean =>
  retractions.some(({ about: [start, end] }) => clause >= start && clause < end);

/** Looks for an order at the beginnings of clauses. */
function judge(
  said: string,
  clauses: readonly number[],
  language: CompiledLanguage,
  isAsked: boolean,
): "rule" | RuleDoubt | undefined {
  let weak: RuleDoubt | undefined;
  for (const clause of clauses) {
    const start = behindOpeners(said, clause, language);
    for (const at of start === clause ? [clause] : [start, clause]) {
      if (place(language.notOrders, said, at) >= 0) break;
      const isOrder = place(language.orders, said, at) >= 0;
      if (!isOrder) {
        if (!isAsked && place(language.doubtful, said, at) >= 0) weak ??= "weak";
        continue;
      }
      if (place(language.unclear, said, at) >= 0) {
        weak ??= "unclear";
        break;
      }
      return language.oneOff.test(said) ? "one-off" : "rule";
    }
  }
  return weak;
}

/** Looks for phrases that make the sentence a rule wherever they appear in it, and for rules without a verb. */
function judgeWhole(
  said: string,
  first: number,
  clauses: readonly number[],
  tells: boolean,
  language: CompiledLanguage,
): "rule" | RuleDoubt | undefined {
  const isExclaimed = /!\s*$/.test(said);
  const places = [first, ...(isExclaimed ? clauses.slice(1) : [])];
  const isElliptic =
    !tells &&
    places.some(
      (at) =>
        said.length - at <= LONGEST_ELLIPSIS &&
        place(language.notOrders, said, at) < 0 &&
        place(language.elliptic, said, at) >= 0,
    );
  const isStanding = !tells && place(language.notOrders, said, first) < 0 && language.standing.test(said);
  if (!isElliptic && !isStanding && !language.anywhere.test(said)) return undefined;
  return language.oneOff.test(said) ? "one-off" : "rule";
}

function retractionAt(said: string, clause: number, language: CompiledLanguage): readonly Retraction[] {
  const start = behindOpeners(said, clause, language);
  for (const at of start === clause ? [clause] : [clause, start]) {
    const kinds = [
      ["rule", language.takesBack],
      ["last", language.takesBackLast],
      ["permission", language.allows],
    ] as const;
    for (const [speaksOf, pattern] of kinds) {
      const end = place(pattern, said, at);
      if (end >= 0) return [{ speaksOf, about: [at, clauseEnd(said, end, language)] }];
    }
  }
  return [];
}

const CLAUSE_SIGN = /(?:[,;:(—–，、；：（،؛]\s*|\s-\s+|[.!?…؟]\s+|[。！？])/g;

/** Where clauses begin: at the start, after punctuation and, unless the sentence narrates, after a conjunction. */
function clauseStarts(said: string, language: CompiledLanguage, tells: boolean): readonly number[] {
  const starts = [0];
  for (const match of said.matchAll(CLAUSE_SIGN)) {
    if (starts.length >= MOST_CLAUSES) break;
    // A report follows the colon ("the docs say: always use it"), unless rules are announced ("I have one rule: …").
    if (tells && /^[:：]/.test(match[0]) && !language.announcesRules.test(said.slice(0, match.index))) break;
    starts.push(match.index + match[0].length);
  }
  if (!tells) {
    language.joins.lastIndex = 0;
    for (const match of said.matchAll(language.joins)) {
      if (starts.length >= MOST_CLAUSES) break;
      starts.push(match.index + match[0].length);
    }
  }
  return starts.filter((start) => start < said.length).sort((a, b) => a - b);
}

const CLAUSE_BREAK = /[,;!?…—–，；。！？،؛؟]|\.(?:\s|$)/g;

/** Where the clause that contains a place ends. */
function clauseEnd(said: string, from: number, language: CompiledLanguage): number {
  CLAUSE_BREAK.lastIndex = Math.max(0, from - 1);
  const end = CLAUSE_BREAK.exec(said)?.index ?? said.length;
  language.contrasts.lastIndex = from;
  return Math.min(end, language.contrasts.exec(said)?.index ?? end);
}
