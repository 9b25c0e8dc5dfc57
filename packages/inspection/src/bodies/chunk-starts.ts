/** About how much a chunk holds, in characters, and how many items at the most: what is unzipped when a row is seen. */
const CHUNK_CHARACTERS = 128 * 1024;
const CHUNK_ITEMS = 512;

/**
 * Where the chunks of a list begin. A list that grows keeps the beginnings that it has: all but the newest chunk are full.
 *
 * @param sizes how large each item is, in characters, or about that.
 */
export function chunkStarts(sizes: Iterable<number>): readonly number[] {
  const starts: number[] = [];
  let characters = 0;
  let items = 0;
  let place = 0;
  for (const size of sizes) {
    const isFull = items >= CHUNK_ITEMS || (items > 0 && characters + size > CHUNK_CHARACTERS);
    if (place === 0 || isFull) {
      starts.push(place);
      characters = 0;
      items = 0;
    }
    characters += size;
    items++;
    place++;
  }
  return starts;
}

/** From where to where a chunk goes. Empty for one that is not there. */
export function chunkRange(starts: readonly number[], chunk: number, length: number): readonly [number, number] {
  const from = starts[chunk] ?? length;
  return [from, starts[chunk + 1] ?? length];
}
