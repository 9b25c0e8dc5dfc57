import { ThreadfoldError } from "../errors/threadfold-error.ts";
import * as z from "../json/schema.ts";
import { type MessageId, messageIdSchema } from "../model/ids.ts";
import { type Message, type Role, roleSchema } from "../model/message.ts";
import { timeSchema } from "../time/clock.ts";
import type { RecallPassage } from "./recall-passage.ts";
import { recallTerms, unspacedWords } from "./recall-terms.ts";
import { loadStemmers } from "./stemmers.ts";

/** What to search for in one thread. */
export interface RecallRequest {
  /**
   * Words in any order and in any form that a stemmer knows; see `recallTerms` for what counts as one. The first 1,024
   * are used (C6, term limit).
   */
  readonly text: string;
  /** The branch that searches; the main branch if absent. It sees the main branch, itself and its ancestors (C7). */
  readonly branch?: string;
  /** Finds only messages created at or after this ISO 8601 time. */
  readonly after?: string;
  /** Finds only messages created before this ISO 8601 time. */
  readonly before?: string;
  readonly roles?: readonly Role[];
  /** Messages to exclude, such as those that the prompt shows. */
  readonly except?: readonly MessageId[];
  /** Passages per page, 1 to 2,000; 20 by default. */
  readonly limit?: number;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string;
}

/** A passage of a message that contains some of the words, and where it comes from. */
export interface RecallHit extends Omit<RecallPassage, "words"> {
  /** The passage itself, word for word. */
  readonly excerpt: string;
  /** BM25 score over the passages of the thread, including neighbours; comparable only within one search. */
  readonly score: number;
}

/** One page of search results, best first. */
export interface RecallPage {
  readonly hits: readonly RecallHit[];
  /** The number of passages found, over all pages. */
  readonly total: number;
  /** Pass it as `cursor` to get the next page. Null on the last page and beyond it. */
  readonly nextCursor: string | null;
}

/** The number of words of a query that are used. */
const MAX_WORDS_READ = 1_024;
/**
 * How much of a query's text is read, in UTF-16 code units: in any language, enough for `MAX_WORDS_READ` words.
 */
const MAX_QUERY = 16_384;
/** The most passages that one page may have. */
export const MAX_RECALL_LIMIT = 2_000;
const DEFAULT_LIMIT = 20;
const CURSOR = /^after-(\d{1,15})$/;

/** A validated request: what to search for, where, and which page of the results. */
export interface RecallSearch {
  readonly terms: readonly string[];
  readonly offset: number;
  readonly limit: number;
  /** Returns true for passages that may be found. */
  readonly admits: (passage: RecallPassage) => boolean;
}

const requestSchema: z.ZodType<RecallRequest> = z.lazy(() =>
  z.object({
    text: z.string(),
    branch: z.string().min(1).optional(),
    after: timeSchema.optional(),
    before: timeSchema.optional(),
    roles: z.array(roleSchema).optional(),
    except: z.array(messageIdSchema).optional(),
    limit: z.int().min(1).max(MAX_RECALL_LIMIT).optional(),
    cursor: z.string().regex(CURSOR).optional(),
  }),
);

/**
 * Validates and reads a request.
 *
 * @throws ThreadfoldError `INVALID_QUERY` when a field is invalid; the error names the field.
 */
export async function readRecallRequest(request: RecallRequest): Promise<RecallSearch> {
  const issue = requestSchema.safeParse(request).error?.issues[0];
  if (issue !== undefined) {
    throw new ThreadfoldError("INVALID_QUERY", `${issue.path.join(".") || "The query"}: ${issue.message}.`);
  }
  const { text, branch, after, before, roles, except, limit = DEFAULT_LIMIT, cursor } = request;
  const [from, until] = [milliseconds(after), milliseconds(before)];
  const excluded = new Set(except);
  return {
    terms: await queryTerms(text.slice(0, MAX_QUERY)),
    offset: cursor === undefined ? 0 : Number(CURSOR.exec(cursor)?.[1]),
    limit,
    admits: (passage) =>
      isBranchVisible(passage.branch, branch) &&
      !excluded.has(passage.messageId) &&
      (roles === undefined || roles.includes(passage.role)) &&
      (from === undefined || Date.parse(passage.createdAt) >= from) &&
      (until === undefined || Date.parse(passage.createdAt) < until),
  };
}

/** Returns words before terms derived from them, so that the limit does not drop a word of the query. */
async function queryTerms(text: string): Promise<readonly string[]> {
  const stemmers = await loadStemmers();
  const words = [...new Set(recallTerms(text))];
  return [...new Set([...words, ...unspacedWords(text), ...stemmers.queryStemsOf(words)])].slice(0, MAX_WORDS_READ);
}

/** Returns the cursor of the page that begins after this many passages. */
export const recallCursor = (offset: number): string => `after-${offset}`;

/**
 * True when `from` sees a message on `branch` (C7): all branches see the main branch, and a branch sees itself and its
 * ancestors but neither siblings nor children. Segments are joined by `/`, so `a` is not an ancestor of `ab`.
 */
export function isBranchVisible(branch: string | undefined, from: string | undefined): boolean {
  if (branch === undefined) return true;
  return from !== undefined && (from === branch || from.startsWith(`${branch}/`));
}

/**
 * Checks that a thread has a branch, or branches below it: a search from any other finds what the main branch sees.
 *
 * @throws ThreadfoldError `INVALID_QUERY` that names the thread's branches.
 */
export function requireBranch(threadId: string, messages: Iterable<Pick<Message, "branch">>, branch: string): void {
  const branches = [...new Set([...messages].flatMap((message) => message.branch ?? []))];
  if (branches.some((known) => isBranchVisible(branch, known))) return;
  throw new ThreadfoldError("INVALID_QUERY", `Thread ${threadId} has no branch ${JSON.stringify(branch)}.`, {
    hint:
      branches.length === 0
        ? "It has only the main branch: leave out the branch."
        : `Its branches: ${branches.join(", ")}.`,
  });
}

const milliseconds = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

/** The usual parameters of BM25. Each word counts only once per passage, because passages are short. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/**
 * The weight of a passage's own score; the rest is its score with its neighbours. Tuned on a public set of dialogues.
 */
const OWN_SHARE = 0.7;

/** What a backend knows about a thread. Keys identify passages. */
export interface PassageIndex<Key> {
  readonly passages: number;
  /** The number of words in all passages, including repetitions. */
  readonly words: number;
  /** Returns the passages that contain a word. */
  find(term: string): readonly Key[];
  passage(key: Key): RecallPassage;
}

/** A passage that was found, with its score. */
export interface ScoredPassage<Key> {
  readonly key: Key;
  readonly passage: RecallPassage;
  readonly score: number;
}

/** A page of passages, best first. */
export interface ScoredPage<Key> {
  readonly found: readonly ScoredPassage<Key>[];
  readonly total: number;
  readonly nextCursor: string | null;
}

/**
 * Ranks a thread's passages by BM25, each alone and together with the messages before and after it in its turn, because
 * what a call asks for is next to what its result says. All backends use this function, so that they return the same
 * hits in the same order. Its cost grows with the number of passages found, not with the thread.
 */
export function searchPassages<Key>(index: PassageIndex<Key>, search: RecallSearch): ScoredPage<Key> {
  const { matches, weights } = matchesOf(index, search);
  const surroundings = new Surroundings(matches, weights, index.words / Math.max(1, index.passages));
  const ranked = matches
    .map((match) => ({ key: match.key, passage: match.passage, score: surroundings.score(match) }))
    .sort((a, b) => b.score - a.score || b.passage.ordinal - a.passage.ordinal || a.passage.start - b.passage.start);
  const end = search.offset + search.limit;
  const nextCursor = end < ranked.length ? recallCursor(end) : null;
  return { found: ranked.slice(search.offset, end), total: ranked.length, nextCursor };
}

/** A passage with the words of the query that it contains, by their index in the query. */
interface Match<Key> {
  readonly key: Key;
  readonly passage: RecallPassage;
  readonly terms: number[];
  weight: number;
}

function matchesOf<Key>(index: PassageIndex<Key>, search: RecallSearch) {
  const matches = new Map<Key, Match<Key>>();
  const weights = search.terms.map((term, place) => {
    // Passages that may not be found must not influence the weight of a word.
    const keys = index.find(term).filter((key) => search.admits(index.passage(key)));
    const weight = Math.log(1 + (index.passages - keys.length + 0.5) / (keys.length + 0.5));
    for (const key of keys) {
      const match = matches.get(key) ?? { key, passage: index.passage(key), terms: [], weight: 0 };
      match.terms.push(place);
      match.weight += weight;
      matches.set(key, match);
    }
    return weight;
  });
  return { matches: [...matches.values()], weights };
}

/** Matches next to a passage: the best passage of the message before it and of the message after it. */
class Surroundings<Key> {
  readonly #weights: readonly number[];
  /** The average number of words in a passage. */
  readonly #average: number;
  /** The best matching passage of each message, by ordinal. */
  readonly #best = new Map<number, Match<Key>>();
  /** For each word of the query, the newest window that counted it. */
  readonly #counted: Uint32Array;
  #window = 0;

  constructor(matches: readonly Match<Key>[], weights: readonly number[], average: number) {
    this.#weights = weights;
    this.#average = average;
    this.#counted = new Uint32Array(weights.length);
    for (const match of matches) {
      const best = this.#best.get(match.passage.ordinal);
      if (best === undefined || isBetter(match, best)) this.#best.set(match.passage.ordinal, match);
    }
  }

  score(match: Match<Key>): number {
    const own = match.weight * lengthFactor(match.passage.words, this.#average);
    const around = [-1, 1].flatMap((step) => this.#neighbour(match, step) ?? []);
    if (around.length === 0) return own;
    const words = around.reduce((sum, { passage }) => sum + passage.words, match.passage.words);
    const together = this.#weightOf([match, ...around]) * lengthFactor(words, this.#average * (1 + around.length));
    return OWN_SHARE * own + (1 - OWN_SHARE) * together;
  }

  #neighbour({ passage }: Match<Key>, step: number): Match<Key> | undefined {
    const found = this.#best.get(passage.ordinal + step);
    const isNear = found?.passage.turn === passage.turn && found.passage.branch === passage.branch;
    return isNear ? found : undefined;
  }

  /** Returns the total weight of the words in some passages, each word once. */
  #weightOf(matches: readonly Match<Key>[]): number {
    this.#window++;
    let weight = 0;
    for (const { terms } of matches) {
      for (const term of terms) {
        if (this.#counted[term] !== this.#window) weight += this.#weights[term] as number;
        this.#counted[term] = this.#window;
      }
    }
    return weight;
  }
}

const isBetter = <Key>(match: Match<Key>, best: Match<Key>): boolean =>
  match.weight > best.weight || (match.weight === best.weight && match.passage.start < best.passage.start);

const lengthFactor = (words: number, average: number): number =>
  (SATURATION + 1) / (1 + SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * words) / Math.max(1, average)));
