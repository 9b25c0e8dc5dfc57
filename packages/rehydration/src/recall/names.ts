import { EventLoopTurns, finishSteps, type RecallHit, recallTerms, type Steps } from "@threadfold/core";

/** The number of candidates that are examined in one step. */
const CANDIDATES_A_STEP = 256;
/** The length of names in UTF-16 code units: anything shorter is an ordinary word, anything longer is data. */
const MIN_NAME = 6;
const MAX_NAME = 200;
/**
 * Paths; names, alone or joined by dots, colons and hyphens; hashes and long numbers. Scripts without spaces between
 * words are not part of a name, so that a name inside Chinese text is found. A number after a colon is a position, not
 * a name. A run of such characters can only match at its beginning, so that it is read once.
 */
const CANDIDATE =
  /(?<![\w.~@+-])[\w.~@+-]*(?:\/[\w.@+-]+)+|[A-Za-zÀ-ԯ_$][\wÀ-ԯ$]*(?:(?:[.-]|::?(?=[A-Za-zÀ-ԯ_]))[\wÀ-ԯ]+)*|[0-9a-f]{8,}|\d{6,}/gu;
/** A name has something that plain words lack: a separator, a digit, an inner capital. */
const NAME = /[_$/\d]|\p{Ll}\p{Lu}|[\p{L}\p{N}](?:[.-]|::?)[\p{L}\p{N}]|\p{Lu}{2}\p{Ll}/u;
/** Line breaks and tabs in a text that is itself JSON. */
const ESCAPED_SPACE = /\\[nrt]/g;
/** `.` ends sentences, `-` begins options, and searches print `path-12-` next to their context. */
const ENDS = /^[-+@]+|(?<=\.\w{1,5})-\d+-?$|[.+@-]+$/g;

/**
 * Returns the identifiers, paths, hashes and long numbers in a text, each once and in order. For a name with several
 * parts, each part is returned too.
 */
export function namesInText(text: string): readonly string[] {
  return finishSteps(namesInSteps(text));
}

/** Does the same as {@link namesInText}, in steps. */
export function* namesInSteps(text: string): Steps<readonly string[]> {
  const names = new Set<string>();
  let read = 0;
  for (const [candidate] of text.replace(ESCAPED_SPACE, " ").matchAll(CANDIDATE)) {
    if (read++ % CANDIDATES_A_STEP === 0) yield;
    // Most candidates are plain words; no part of a text has more of a name than the whole.
    if (candidate.length > MAX_NAME || candidate.length < MIN_NAME || !NAME.test(candidate)) continue;
    for (const name of namesIn(candidate.replace(ENDS, "")))
      if (name.length >= MIN_NAME && NAME.test(name)) names.add(name);
  }
  return [...names];
}

/** What names are joined by. */
const JOINT = /[.:-]/;

/** A path as a whole. Any other candidate as a whole, split at colons and hyphens, and split into its single names. */
const namesIn = (candidate: string): readonly string[] =>
  candidate.includes("/") || !JOINT.test(candidate)
    ? [candidate]
    : [candidate, ...candidate.split(/[:-]+/), ...candidate.split(/[.:-]+/)];

/**
 * The length of quotes that are worth searching for, in UTF-16 code units: neither single letters nor whole passages.
 */
const SHORTEST = 6;
const LONGEST = 200;
/** Text between matching quotation marks. An apostrophe within a word opens and closes nothing. */
const QUOTED =
  /(?<!\w)(["'`])(?=\S)([^"'`\n]{6,200})(?<=\S)\1(?!\w)|[“„«「『](?=\S)([^“”„«»「」『』\n]{6,200})[”“»」』]/gu;
const SEVERAL_WORDS = /[\p{L}\p{N}]\S*\s+\S*[\p{L}\p{N}]/u;

/** Returns the quotes of several words in a text, verbatim, each once and in order: messages, titles, phrases. */
export function quotedTexts(text: string): readonly string[] {
  const quotes = new Set<string>();
  for (const [, , plain, typographic] of text.matchAll(QUOTED)) {
    const quote = (plain ?? typographic ?? "").trim();
    if (quote.length >= SHORTEST && quote.length <= LONGEST && SEVERAL_WORDS.test(quote)) quotes.add(quote);
  }
  return [...quotes];
}

/** A name, or a quote of several words, from the passages found, and the best passage that contains it. */
export interface RankedName {
  readonly name: string;
  readonly hit: RecallHit;
}

interface NameEntry {
  readonly hit: RecallHit;
  passages: number;
  defined: boolean;
}

/** Matches the declaration of a name in common languages. */
const DECLARATION =
  /\b(?:def|class|func|function|fn|type|interface|const|struct|enum|trait|module)\s+(?:\([^)\n]{0,80}\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/gu;
/** The worth of a name that shares nothing with the query, and what a declaration adds. Tuned on recorded sessions. */
const BASE = 0.2;
const DECLARED = 0.4;
/** The penalty for a name's length: less than its cost in tokens, because long names are paths and hard to guess. */
const COST = 0.25;
/** The worth of a quote of several words relative to a name: it is rarely needed, but nothing else finds it. */
const QUOTE = 0.5;
/** The penalty for a name that is in many passages: common names can be guessed or are seen elsewhere. */
const COMMON = 0.3;

/**
 * Returns the names and quotes in passages that were found, those most likely to be needed first. Names rank higher if
 * their passage matches well, if they share parts with the query, and if they are declared there; short and rare names
 * rank before long and common ones. Names in `known` are left out.
 */
export async function rankNames(
  hits: readonly RecallHit[],
  queryTerms: ReadonlySet<string>,
  known: ReadonlySet<string>,
): Promise<readonly RankedName[]> {
  const turns = new EventLoopTurns();
  const names = await collectNames(hits, known, turns);
  const best = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
  const frequency = new Map<string, number>();
  const partsByName = new Map<string, readonly string[]>();
  for (const name of names.keys()) {
    const parts = partsOf(name);
    partsByName.set(name, parts);
    for (const term of parts) add(frequency, term);
    if (turns.isDue) await turns.turn();
  }
  const rarity = (term: string): number => Math.log(1 + names.size / (frequency.get(term) ?? 1));
  const worth = ([name, { hit, passages, defined }]: readonly [string, NameEntry]): number => {
    const parts = partsByName.get(name) ?? [];
    const all = parts.reduce((sum, term) => sum + rarity(term), 0);
    const shared = parts.filter((term) => queryTerms.has(term)).reduce((sum, term) => sum + rarity(term), 0);
    const likely = hit.score / best + shared / Math.max(all, Number.MIN_VALUE) + BASE + (defined ? DECLARED : 0);
    const kind = /\s/.test(name) ? QUOTE : 1;
    return (kind * likely) / (name.length ** COST * Math.sqrt(1 + COMMON * passages));
  };
  const ranked = [...names]
    .map((entry) => ({ entry, worth: worth(entry) }))
    .sort((a, b) => b.worth - a.worth)
    .map(({ entry: [name, { hit }] }) => ({ name, hit }));
  return withoutRepetition(ranked);
}

/**
 * Keeps names that add something: `LEVEL` after `os.LEVEL` does not, while `os.LEVEL` after `LEVEL` tells whose it is.
 */
function withoutRepetition(ranked: readonly RankedName[]): readonly RankedName[] {
  const told = new Set<string>();
  return ranked.filter(({ name }) => {
    if (told.has(name)) return false;
    for (const part of namesInText(name)) told.add(part);
    return true;
  });
}

async function collectNames(
  hits: readonly RecallHit[],
  known: ReadonlySet<string>,
  turns: EventLoopTurns,
): Promise<ReadonlyMap<string, NameEntry>> {
  const names = new Map<string, NameEntry>();
  for (const hit of hits) {
    if (turns.isDue) await turns.turn();
    const declared = new Set([...hit.excerpt.matchAll(DECLARATION)].map(([, name]) => name));
    for (const name of [...namesInText(hit.excerpt), ...quotedTexts(hit.excerpt)]) {
      if (known.has(name)) continue;
      // Hits come best first, so the first one is the best passage for the name.
      const entry = names.get(name) ?? { hit, passages: 0, defined: false };
      entry.passages++;
      entry.defined ||= declared.has(name);
      names.set(name, entry);
    }
  }
  return names;
}

const partsOf = (name: string): readonly string[] => [...new Set(recallTerms(name))];

const add = (counts: Map<string, number>, term: string): void => void counts.set(term, (counts.get(term) ?? 0) + 1);
