import type { RecallPassage } from "./recall-passage.ts";
import { type RecallSearch, recallCursor } from "./recall-request.ts";

/** How much a passage's length counts against it: the usual parameters of BM25. Words count once per passage, because passages are short. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

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

/** Ranks a thread's passages by BM25. The same for every backend, so that all of them give the same hits in the same order. */
export function searchPassages<Key>(index: PassageIndex<Key>, search: RecallSearch): ScoredPage<Key> {
  const weights = new Map<Key, number>();
  for (const term of search.terms) {
    // Words that stand only in what may not be found say nothing of what may.
    const keys = index.find(term).filter((key) => search.admits(index.passage(key)));
    const weight = Math.log(1 + (index.passages - keys.length + 0.5) / (keys.length + 0.5));
    for (const key of keys) weights.set(key, (weights.get(key) ?? 0) + weight);
  }
  const average = index.words / Math.max(1, index.passages);
  const ranked = [...weights]
    .map(([key, weight]) => ({ key, passage: index.passage(key), weight }))
    .map(({ key, passage, weight }) => ({ key, passage, score: weight * lengthFactor(passage.words, average) }))
    .sort((a, b) => b.score - a.score || b.passage.ordinal - a.passage.ordinal || a.passage.start - b.passage.start);
  const end = search.offset + search.limit;
  const nextCursor = end < ranked.length ? recallCursor(end) : null;
  return { found: ranked.slice(search.offset, end), total: ranked.length, nextCursor };
}

const lengthFactor = (words: number, average: number): number =>
  (SATURATION + 1) / (1 + SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * words) / Math.max(1, average)));
