/**
 * An immutable list whose `append` is O(1) amortized: values share one growing buffer and each sees its own prefix of
 * it. Appending to a value that is not the newest copies the prefix once. Old values stay valid for ever.
 */
export class AppendOnlyList<Item> implements Iterable<Item> {
  readonly length: number;
  /** The same for lists that hold the same items as far as both reach, because they share a buffer. */
  readonly family: object;
  readonly #buffer: Item[];

  private constructor(buffer: Item[], length: number, family: object) {
    this.#buffer = buffer;
    this.length = length;
    this.family = family;
  }

  static empty<Item>(): AppendOnlyList<Item> {
    return new AppendOnlyList<Item>([], 0, {});
  }

  static of<Item>(items: Iterable<Item>): AppendOnlyList<Item> {
    const buffer = [...items];
    return new AppendOnlyList(buffer, buffer.length, {});
  }

  append(items: readonly Item[]): AppendOnlyList<Item> {
    if (items.length === 0) return this;
    const isNewest = this.#buffer.length === this.length;
    const buffer = isNewest ? this.#buffer : this.#buffer.slice(0, this.length);
    for (const item of items) buffer.push(item);
    return new AppendOnlyList(buffer, buffer.length, isNewest ? this.family : {});
  }

  at(index: number): Item | undefined {
    return index >= 0 && index < this.length ? this.#buffer[index] : undefined;
  }

  slice(start = 0, end = this.length): readonly Item[] {
    return this.#buffer.slice(Math.max(0, start), Math.min(end, this.length));
  }

  /** All items in an array of the caller's own. */
  toArray(): Item[] {
    return this.#buffer.slice(0, this.length);
  }

  prefix(length: number): AppendOnlyList<Item> {
    return length >= this.length ? this : new AppendOnlyList(this.#buffer, Math.max(0, length), this.family);
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let index = 0; index < this.length; index++) yield this.#buffer[index] as Item;
  }
}
