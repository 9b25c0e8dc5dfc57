import { type Revision, RowList } from "../rows/table.ts";

/** About how much a chunk holds, in characters, and how many items at the most: what is unzipped when a row is seen. */
const CHUNK_CHARACTERS = 128 * 1024;
const CHUNK_ITEMS = 512;

/** Where the chunks of a list begin. A list that grows keeps the beginnings that it has: all but the newest chunk are full. */
export class ChunkStarts {
  readonly list: RowList<number>;
  /** How many items there are. */
  length = 0;
  #characters = 0;
  #items = 0;

  constructor(revision: Revision) {
    this.list = new RowList(revision);
  }

  /** @param size how large the next item is, in characters, or about that. */
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

/** From where to where a chunk goes. Empty for one that is not there. */
export function chunkRange(starts: readonly number[], chunk: number, length: number): readonly [number, number] {
  const from = starts[chunk] ?? length;
  return [from, starts[chunk + 1] ?? length];
}
