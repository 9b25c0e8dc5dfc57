import { statementKey } from "../../text/excerpt.ts";
import type { RoomSection } from "./room.ts";

/** Two statements that share this much of their words say the same. */
const SAME_SHARE = 0.75;
/** A statement includes another if it has all of its words and is at most this many times as long. */
const LONGER = 3;
/** The same of two statements that name the same things, and at least this many. */
const SAME_SHARE_NAMED = 0.5;
const LEAST_NAMED = 2;
/** A word that is spelled as only names are. */
const NAME = /[\p{L}\p{N}][_./][\p{L}\p{N}]/u;
/** Negations, because a statement and its negation share nearly all words. `t` is what remains of "isn't". */
const DENIES = new Set(
  "t not no never none nothing neither cannot without nicht kein keine nie pas jamais nunca não не нет".split(" "),
);
/** Words that make no difference to the meaning. */
const GLUE = new Set(
  "a all also and are as at be been but for had has have i in is it its now of on so that the then this to was were with".split(
    " ",
  ),
);
const MAX_COMPARED = 200;

/** Records what a summary already says, so that nothing is said twice in other words. */
export class SaidAlready {
  #text = "";
  readonly #keys = new Set<string>();
  readonly #words = new Set<string>();
  readonly #said: Statement[] = [];
  /** Statements by those of their words that contain digits. */
  readonly #byCount = new Map<string, Statement[]>();

  /** Records a text as said. */
  say(text: string): void {
    const key = statementKey(text);
    if (key === "" || this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#text += `\n${key}`;
    const statement = statementOf(key);
    for (const word of statement.words) this.#words.add(word);
    if (this.#said.length === MAX_COMPARED) return;
    this.#said.push(statement);
    for (const count of statement.counts) {
      const counted = this.#byCount.get(count);
      if (counted === undefined) this.#byCount.set(count, [statement]);
      else counted.push(statement);
    }
  }

  /** Checks whether a text was said, alone or within a longer one. */
  has(text: string): boolean {
    return this.#holds(statementKey(text));
  }

  #holds(key: string): boolean {
    return this.#keys.has(key) || (key.length > 12 && this.#hasInnerWords(key) && this.#text.includes(key));
  }

  /**
   * False for a text with a new word, which cannot have been said. It spares most texts a search of everything said.
   */
  #hasInnerWords(key: string): boolean {
    let start = key.indexOf(" ") + 1;
    // The first and the last word may be parts of longer ones.
    for (let end = key.indexOf(" ", start); start > 0 && end > 0; end = key.indexOf(" ", start)) {
      if (!this.#words.has(key.slice(start, end))) return false;
      start = end + 1;
    }
    return true;
  }

  /** Checks whether nearly the same was said. */
  hasNearly(text: string): boolean {
    const key = statementKey(text);
    if (this.#holds(key)) return true;
    const statement = statementOf(key);
    if (statement.words.size <= 3) return false;
    const [count] = statement.counts;
    // Statements that lack one of its figures differ, so only those with the first one are compared.
    const compared = count === undefined ? this.#said : (this.#byCount.get(count) ?? []);
    return compared.some((said) => !differs(statement, said) && isLike(statement, said));
  }
}

interface Statement {
  readonly words: ReadonlySet<string>;
  readonly denies: boolean;
  /** Those of its words that contain digits. */
  readonly counts: readonly string[];
  /** Those of its words that are names, in one text; empty if they are few. */
  readonly names: string;
}

function statementOf(key: string): Statement {
  const words = new Set(key.split(" "));
  let denies = false;
  const counts: string[] = [];
  const names: string[] = [];
  for (const word of words) {
    denies ||= DENIES.has(word);
    if (/\d/.test(word)) counts.push(word);
    if (NAME.test(word)) names.push(word);
  }
  return { words, denies, counts, names: names.length < LEAST_NAMED ? "" : names.sort().join(" ") };
}

/** True for statements that differ in negation or figures. */
const differs = ({ denies, counts }: Statement, said: Statement): boolean =>
  denies !== said.denies || counts.some((word) => !said.words.has(word));

function isLike({ words, names }: Statement, said: Statement): boolean {
  const share = names !== "" && names === said.names ? SAME_SHARE_NAMED : SAME_SHARE;
  return sharesMost(words, said.words, share) || saysAllOf(words, said.words);
}

function saysAllOf(words: ReadonlySet<string>, said: ReadonlySet<string>): boolean {
  if (said.size > LONGER * words.size) return false;
  for (const word of words) if (!said.has(word) && !GLUE.has(word)) return false;
  return true;
}

function sharesMost(words: ReadonlySet<string>, said: ReadonlySet<string>, share: number): boolean {
  const both = words.size + said.size;
  let shared = Math.min(words.size, said.size);
  if (!isMost(shared, both, share)) return false;
  shared = words.size;
  // Most statements have next to nothing in common, which a few words are enough to show.
  for (const word of words) if (!said.has(word) && !isMost(--shared, both, share)) return false;
  return true;
}

/** True when this many shared words are such a share of the words of two statements with `both` words in total. */
const isMost = (shared: number, both: number, share: number): boolean => shared >= (both - shared) * share;

/** What a section must not repeat: statements anywhere in the summary, or only the section's own items. */
interface Known {
  has(text: string): boolean;
  say(text: string): void;
}

const ownItems = (_: SaidAlready, previous: readonly string[]): Known => {
  const texts = new Set(previous);
  return { has: (text) => texts.has(text), say: (text) => void texts.add(text) };
};

const anyStatement =
  (nearly: boolean) =>
  (said: SaidAlready, previous: readonly string[]): Known => {
    for (const text of previous) said.say(text);
    return { has: (text) => (nearly ? said.hasNearly(text) : said.has(text)), say: (text) => said.say(text) };
  };

/** How sections recognize repetitions: rules that differ in one word are two, but findings and decisions are one. */
export const KNOWN_BY: Readonly<Record<RoomSection, (said: SaidAlready, previous: readonly string[]) => Known>> = {
  constraints: anyStatement(false),
  openItems: ownItems,
  files: ownItems,
  errors: ownItems,
  toolOutcomes: ownItems,
  decisions: anyStatement(true),
  facts: anyStatement(true),
};
