import type { BlockText, BodyChunks, BodyLists, MessageBody, PayloadDifference } from "@threadfold/inspection/rows";
import type { DataSource } from "./data-source.ts";

/** Number of opened chunks that stay in memory. Each is a few hundred kilobytes. */
const OPEN_CHUNKS = 24;

/** Reads message bodies, chunk by chunk, when they come into view. What was left out of the page is undefined. */
export class BodyReader {
  readonly #opened = new Map<string, Promise<readonly unknown[]>>();
  readonly #source: DataSource;
  readonly #chunks: BodyChunks;
  /** The newest chunk of each list: only that one grows. */
  readonly #newest: ReadonlySet<string>;

  /** @param before the reader of the same lists when they were shorter: its open chunks stay open. */
  constructor(source: DataSource, chunks: BodyChunks, before?: BodyReader) {
    this.#source = source;
    this.#chunks = chunks;
    const lists = Object.keys(chunks) as (keyof BodyChunks)[];
    this.#newest = new Set(lists.map((list) => `${list}-${chunks[list].length - 1}`));
    for (const [name, chunk] of before?.opened() ?? []) this.#opened.set(name, chunk);
  }

  /** Yields the open chunks that will not change. */
  *opened(): Iterable<readonly [name: string, chunk: Promise<readonly unknown[]>]> {
    for (const chunk of this.#opened) if (!this.#newest.has(chunk[0])) yield chunk;
  }

  /** Returns a message as logged, by its ordinal. */
  message(ordinal: number): Promise<MessageBody | undefined> {
    return this.#item("messages", ordinal);
  }

  /** Returns the text of a block that is not an unchanged message, by its place. */
  text(place: number): Promise<BlockText | undefined> {
    return this.#item("texts", place);
  }

  /**
   * Returns the payload of a call, and the number of characters at its beginning that it shares with the payload
   * before: 0 if that is not known. Null if the payload could not be rendered.
   */
  async payload(call: number): Promise<{ readonly text: string; readonly sameUntil: number } | null | undefined> {
    const place = this.#placeOf("payloads", call);
    if (place === undefined) return undefined;
    const chunk = (await this.#chunk("payloads", place.chunk)) as readonly BodyLists["payloads"][];
    const items = chunk.slice(0, call - place.start + 1);
    const last = items.at(-1);
    if (last === null || last === undefined) return null;
    return { text: items.reduce((before, item) => withDifference(before, item), ""), sameUntil: last.start };
  }

  /** Returns all items of one chunk and the place of the first, for readers that go through everything. */
  async chunk<List extends "messages" | "texts">(
    list: List,
    chunk: number,
  ): Promise<{ readonly start: number; readonly items: readonly BodyLists[List][] }> {
    const items = (await this.#chunk(list, chunk)) as readonly BodyLists[List][];
    return { start: this.#chunks[list][chunk] ?? 0, items };
  }

  async #item<List extends "messages" | "texts">(list: List, index: number): Promise<BodyLists[List] | undefined> {
    const place = this.#placeOf(list, index);
    if (place === undefined) return undefined;
    return (await this.#chunk(list, place.chunk))[index - place.start] as BodyLists[List] | undefined;
  }

  #placeOf(list: keyof BodyLists, index: number): { readonly chunk: number; readonly start: number } | undefined {
    const starts = this.#chunks[list];
    const chunk = lastAtMost(starts, index);
    const start = starts[chunk];
    return start === undefined ? undefined : { chunk, start };
  }

  #chunk(list: keyof BodyLists, chunk: number): Promise<readonly unknown[]> {
    const name = `${list}-${chunk}`;
    const opened = this.#opened.get(name) ?? (this.#source.read({ kind: list, chunk }) as Promise<readonly unknown[]>);
    // The most recently requested chunk is the last to be evicted.
    this.#opened.delete(name);
    this.#opened.set(name, opened);
    opened.catch(() => this.#opened.delete(name));
    const oldest = this.#opened.keys().next();
    if (this.#opened.size > OPEN_CHUNKS && !oldest.done) this.#opened.delete(oldest.value);
    return opened;
  }
}

const withDifference = (before: string, item: PayloadDifference | null): string =>
  item === null ? before : before.slice(0, item.start) + item.insert + before.slice(before.length - item.end);

/** Index of the last of ascending numbers that is at most `value`; -1 when there is none. */
function lastAtMost(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns a message as one text: its parts one below the other, calls with the name of their tool. */
export const bodyText = ({ parts }: MessageBody): string =>
  parts.map((part) => (part.type === "tool-call" ? `${part.tool}(${part.text})` : part.text)).join("\n");
