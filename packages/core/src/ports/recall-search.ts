import type { RecallPassage } from "./recall-passage.ts";
import { type RecallSearch, recallCursor } from "./recall-request.ts";

/** How much a passage's length counts against it: the usual parameters of BM25. Words count once per passage, because passages are short. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/** What a passage says by itself, and what it says together with the messages around it. Found on a public set of dialogues. */
const OWN_SHARE = 0.7;

/** What a backend knows of a thread. Keys name passages. */
export interface PassageIndex<Key> {
  readonly passages: number;
  /** Words of all passages together, repetitions included. */
  readonly words: number;
  /** The passages that hold a word. */
  find(term: string): readonly Key[];
  passage(key: Key): RecallPassage;
}

/** A passage that was found. */
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
 * Ranks a thread's passages by BM25, each by itself and together with the messages before and after it in its turn: what
 * a call asks for stands beside what its result says. The same for every backend, so that all of them give the same hits
 * in the same order. Linear in what is found.
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

/** A passage with the words of the query that it holds, by their places in the query. */
interface Match<Key> {
  readonly key: Key;
  readonly passage: RecallPassage;
  readonly terms: number[];
  weight: number;
}

function matchesOf<Key>(index: PassageIndex<Key>, search: RecallSearch) {
  const matches = new Map<Key, Match<Key>>();
  const weights = search.terms.map((term, place) => {
    // Words that stand only in what may not be found say nothing of what may.
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

/** What was found beside a passage: the best passage of the message before it and of the one after it. */
class Surroundings<Key> {
  readonly #weights: readonly number[];
  /** Words of a passage on average. */
  readonly #average: number;
  /** By ordinal of a message its passage that matches best. */
  readonly #best = new Map<number, Match<Key>>();
  /** For each word of the query the newest window that counted it. */
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

  /** What the words of some passages weigh, each word once. */
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
