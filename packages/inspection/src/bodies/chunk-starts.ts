import { type Revision, RowList } from "../rows/table.ts";

/** Approximate size of a chunk in characters, and its maximum number of items: what is unzipped to show a row. */
const CHUNK_CHARACTERS = 128 * 1024;
const CHUNK_ITEMS = 512;

/** Where the chunks of a list begin. A growing list keeps its chunk starts: all chunks but the newest are full. */
export class ChunkStarts {
  readonly list: RowList<number>;
  /** Number of items. */
  length = 0;
  #characters = 0;
  #items = 0;

  constructor(revision: Revision) {
    this.list = new RowList(revision);
  }

  /**
   * @param size size of the next item, in characters; may be approximate.
   */
  push(size: number): void {
    const isFull = this.#items >= CHUNK_ITEMS || (this.#items > 0 && this.#characters + size > CHUNK_CHARACTERS);
    if (this.length === 0 || isFull) {
      this.list.push(this.length);
      this.#characters = 0;
      this.#items = 0;
    }
    this.#characters += size;
    this.#items++;
    this.length++;
  }
}

/** Returns the range of a chunk, from its first item up to the next chunk's. Empty for a chunk that does not exist. */
export function chunkRange(starts: readonly number[], chunk: number, length: number): readonly [number, number] {
  const from = starts[chunk] ?? length;
  return [from, starts[chunk + 1] ?? length];
}
