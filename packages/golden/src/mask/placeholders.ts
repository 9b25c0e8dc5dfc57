/** A placeholder in a text, or one that stands for a whole id. */
const ANY_PLACEHOLDER = /(?<![a-z-])[a-z]+(?:-[a-z]+)*-[1-9]\d*(?!\d)/g;

/**
 * Gives each value a placeholder: its kind and a number, counted from 1 in order of first appearance, so that equal
 * values stay equal and other values stay apart. A number that the input itself uses is left free.
 */
export class Placeholders {
  readonly #given = new Map<string, string>();
  readonly #taken: Set<string>;
  readonly #next = new Map<string, number>();

  /** @param input everything that will be masked, as one text. */
  constructor(input: string) {
    this.#taken = new Set(input.match(ANY_PLACEHOLDER) ?? []);
  }

  /** The placeholder of a value, without brackets. The kind of its first appearance holds for every other. */
  of(kind: string, value: string): string {
    const given = this.#given.get(value);
    if (given !== undefined) return given;
    const placeholder = this.#free(kind);
    this.#given.set(value, placeholder);
    return placeholder;
  }

  #free(kind: string): string {
    for (let number = this.#next.get(kind) ?? 1; ; number++) {
      const placeholder = `${kind}-${number}`;
      if (this.#taken.has(placeholder)) continue;
      this.#next.set(kind, number + 1);
      return placeholder;
    }
  }
}
