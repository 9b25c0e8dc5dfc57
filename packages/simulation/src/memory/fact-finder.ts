import { linesOf, PASSAGE_CHARACTERS, wordsOf } from "./passages.ts";
import type { WorkFact } from "./work-facts.ts";

interface Place {
  readonly fact: number;
  readonly group: number;
}

/**
 * Finds which of many facts appear in a text, each within one passage together with what belongs to it, in one pass
 * over the text: a window of lines moves over it, and counts how many words of each fact it contains.
 */
export class FactFinder {
  readonly #facts: readonly WorkFact[];
  readonly #places = new Map<string, Place[]>();

  constructor(facts: readonly WorkFact[]) {
    this.#facts = facts;
    for (const [fact, { groups }] of facts.entries())
      for (const [group, { words }] of groups.entries())
        for (const word of words) {
          const places = this.#places.get(word);
          if (places === undefined) this.#places.set(word, [{ fact, group }]);
          else places.push({ fact, group });
        }
  }

  /** Returns the indices of the facts that appear in a text, each once. */
  find(text: string): readonly number[] {
    const lines = linesOf(text).map((line) => ({
      length: line.length + 1,
      words: wordsOf(line).filter((word) => this.#places.has(word)),
    }));
    const window = new Window(this.#facts, this.#places);
    let end = 0;
    let length = 0;
    for (const [start, line] of lines.entries()) {
      if (end === start) length = 0;
      while (
        end < lines.length &&
        (end === start || length + (lines[end] as { length: number }).length < PASSAGE_CHARACTERS)
      ) {
        const added = lines[end++] as (typeof lines)[number];
        length += added.length;
        for (const word of added.words) window.add(word);
      }
      length -= line.length;
      for (const word of line.words) window.remove(word);
    }
    return [...window.found];
  }
}

/** The words of a passage, and the facts that it has contained at any time. */
class Window {
  readonly found = new Set<number>();
  readonly #facts: readonly WorkFact[];
  readonly #places: ReadonlyMap<string, readonly Place[]>;
  readonly #words = new Map<string, number>();
  /** For each fact, the number of words of each of its groups that are in the passage. */
  readonly #met = new Map<number, number[]>();

  constructor(facts: readonly WorkFact[], places: ReadonlyMap<string, readonly Place[]>) {
    this.#facts = facts;
    this.#places = places;
  }

  add(word: string): void {
    const before = this.#words.get(word) ?? 0;
    this.#words.set(word, before + 1);
    if (before > 0) return;
    for (const { fact, group } of this.#places.get(word) ?? []) {
      if (this.found.has(fact)) continue;
      const { groups } = this.#facts[fact] as WorkFact;
      const met = this.#metOf(fact, groups.length);
      met[group] = (met[group] as number) + 1;
      if (groups.every(({ enough }, index) => (met[index] as number) >= enough)) this.found.add(fact);
    }
  }

  remove(word: string): void {
    const left = (this.#words.get(word) as number) - 1;
    this.#words.set(word, left);
    if (left > 0) return;
    for (const { fact, group } of this.#places.get(word) ?? []) {
      const met = this.#met.get(fact);
      if (met !== undefined && !this.found.has(fact)) met[group] = (met[group] as number) - 1;
    }
  }

  #metOf(fact: number, groups: number): number[] {
    let met = this.#met.get(fact);
    if (met === undefined) this.#met.set(fact, (met = new Array<number>(groups).fill(0)));
    return met;
  }
}
