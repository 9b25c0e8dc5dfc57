/** The minimum length of a pattern, in characters: patterns are found by their first characters. */
export const SHORTEST_PATTERN = 6;

const BASE = 0x01_00_01_93;
const FILTER_BITS = 18;

/**
 * Finds which of many fixed texts appear verbatim in a text, in one pass over it, however many there are: a rolling
 * hash of six characters shows where one may begin.
 */
export class PatternScanner {
  /**
   * Ids of patterns by the hash of their beginning, then by length, then by text: thousands of paths and identifiers in
   * a session begin alike, but they have few different lengths.
   */
  readonly #byBeginning = new Map<number, Map<number, Map<string, number>>>();
  readonly #filter = new Uint8Array(1 << FILTER_BITS);
  /** For each pattern, the newest scan that found it. */
  readonly #foundIn: Uint32Array;
  #scan = 0;

  /** @param patterns each once, of at least {@link SHORTEST_PATTERN} characters; a pattern's id is its index here. */
  constructor(patterns: readonly string[]) {
    this.#foundIn = new Uint32Array(patterns.length);
    for (const [id, pattern] of patterns.entries()) {
      if (pattern.length < SHORTEST_PATTERN)
        throw new RangeError(`A pattern has ${pattern.length} characters; it needs at least ${SHORTEST_PATTERN}.`);
      const hash = hashAt(pattern, 0);
      const byLength = this.#byBeginning.get(hash) ?? new Map<number, Map<string, number>>();
      const byText = byLength.get(pattern.length) ?? new Map<string, number>();
      this.#byBeginning.set(hash, byLength.set(pattern.length, byText.set(pattern, id)));
      this.#filter[hash >>> (32 - FILTER_BITS)] = 1;
    }
  }

  /** Returns the ids of the patterns in the text, each once, in order of first appearance. */
  scan(text: string): readonly number[] {
    const found: number[] = [];
    if (text.length < SHORTEST_PATTERN) return found;
    this.#scan++;
    let hash = hashAt(text, 0);
    const last = text.length - SHORTEST_PATTERN;
    for (let start = 0; ; start++) {
      if (this.#filter[hash >>> (32 - FILTER_BITS)] === 1) this.#collect(text, start, hash, found);
      if (start === last) return found;
      hash =
        (Math.imul(hash - Math.imul(text.charCodeAt(start), LEADING), BASE) +
          text.charCodeAt(start + SHORTEST_PATTERN)) >>>
        0;
    }
  }

  #collect(text: string, start: number, hash: number, found: number[]): void {
    for (const [length, byText] of this.#byBeginning.get(hash) ?? []) {
      const id = byText.get(text.slice(start, start + length));
      if (id === undefined || this.#foundIn[id] === this.#scan) continue;
      this.#foundIn[id] = this.#scan;
      found.push(id);
    }
  }
}

/** The factor by which the first of the hashed characters is multiplied. */
const LEADING = Array.from({ length: SHORTEST_PATTERN - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);

function hashAt(text: string, start: number): number {
  let hash = 0;
  for (let index = start; index < start + SHORTEST_PATTERN; index++)
    hash = Math.imul(hash, BASE) + text.charCodeAt(index);
  return hash >>> 0;
}
