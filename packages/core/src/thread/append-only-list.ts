import { historyNotLoaded } from "../errors/threadfold-error.ts";
import type { MessageId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import type { Steps } from "../time/steps.ts";

const NONE_HELD: ReadonlyMap<number, unknown> = new Map();

/** Items in a part of a buffer: a power of two, whose bits are the place in the part. */
const PART = 8_192;
const PART_BITS = 13;

/**
 * What lists share: items that are only ever added. It grows by parts, because an array of a million items stops for
 * tens of milliseconds whenever it has to be moved to a larger place.
 */
class GrowingBuffer<Item> {
  /** Each but the last is full, and a full one never changes. */
  readonly #parts: Item[][];
  length: number;

  constructor(parts: Item[][] = [[]], length = 0) {
    this.#parts = parts;
    this.length = length;
  }

  at(index: number): Item | undefined {
    return this.#parts[index >> PART_BITS]?.[index & (PART - 1)];
  }

  push(items: readonly Item[]): void {
    let part = this.#parts.at(-1) as Item[];
    for (const item of items) {
      if (part.length === PART) this.#parts.push((part = []));
      part.push(item);
    }
    this.length += items.length;
  }

  /** Returns a buffer of its own with the first items; the full parts are the same. */
  first(length: number): GrowingBuffer<Item> {
    const full = Math.floor(length / PART);
    return new GrowingBuffer(
      [...this.#parts.slice(0, full), (this.#parts[full] ?? []).slice(0, length % PART)],
      length,
    );
  }

  slice(from: number, to: number): readonly Item[] {
    const end = Math.min(to, this.length);
    if (from >= end) return [];
    const [first, last] = [Math.floor(from / PART), Math.floor((end - 1) / PART)];
    const cut = (place: number): readonly Item[] =>
      (this.#parts[place] as Item[]).slice(Math.max(0, from - place * PART), end - place * PART);
    if (first === last) return cut(first);
    return joined([cut(first), ...this.#parts.slice(first + 1, last), cut(last)]);
  }

  /** Returns all items and more in one array, made at its length: one that grows would be copied again and again. */
  followedBy(items: readonly Item[]): readonly Item[] {
    return joined([...this.#parts, items]);
  }
}

const joined = <Item>([first = [], ...others]: readonly (readonly Item[])[]): readonly Item[] =>
  first.concat(...others);

/**
 * An immutable list whose `append` takes constant time for each item: values share one growing buffer, and each sees its
 * own prefix of it. Appending to a value that is not the newest begins a buffer of its own. Old values stay valid forever.
 *
 * A list may begin with items that are not in memory, except for a few that are held. Accessing a missing item throws
 * instead of returning `undefined`, so that nobody mistakes a part of a list for the whole.
 */
export class AppendOnlyList<Item> implements Iterable<Item> {
  readonly length: number;
  /** The same object for lists that share a buffer; of two such lists, one is a prefix of the other. */
  readonly family: object;
  /** The index from which on every item is in memory; 0 for an ordinary list. */
  readonly start: number;
  readonly #buffer: GrowingBuffer<Item>;
  /** Items before `start` that are in memory, by index and in order. */
  readonly #held: ReadonlyMap<number, Item>;

  private constructor(
    buffer: GrowingBuffer<Item>,
    length: number,
    family: object,
    start = 0,
    held: ReadonlyMap<number, Item> = NONE_HELD as ReadonlyMap<number, Item>,
  ) {
    this.#buffer = buffer;
    this.length = length;
    this.family = family;
    this.start = start;
    this.#held = held;
  }

  static empty<Item>(): AppendOnlyList<Item> {
    return new AppendOnlyList(new GrowingBuffer<Item>(), 0, {});
  }

  static of<Item>(items: Iterable<Item>): AppendOnlyList<Item> {
    const buffer = new GrowingBuffer<Item>();
    buffer.push([...items]);
    return new AppendOnlyList(buffer, buffer.length, {});
  }

  /** Returns a list of `start` items of which only those in `held` are in memory; `held` must be in index order. */
  static resumed<Item>(start: number, held: ReadonlyMap<number, Item>): AppendOnlyList<Item> {
    return new AppendOnlyList(new GrowingBuffer<Item>(), start, {}, start, held);
  }

  /** True when every item is in memory. */
  get isWhole(): boolean {
    return this.#held.size === this.start;
  }

  append(items: readonly Item[]): AppendOnlyList<Item> {
    if (items.length === 0) return this;
    const inBuffer = this.length - this.start;
    const isNewest = this.#buffer.length === inBuffer;
    const buffer = isNewest ? this.#buffer : this.#buffer.first(inBuffer);
    buffer.push(items);
    const family = isNewest ? this.family : {};
    return new AppendOnlyList(buffer, this.start + buffer.length, family, this.start, this.#held);
  }

  /** True when the item exists and is in memory. */
  holds(index: number): boolean {
    return index < this.length && (index >= this.start || this.#held.has(index));
  }

  /** @throws ThreadfoldError `HISTORY_NOT_LOADED` when the item exists but is not in memory. */
  at(index: number): Item | undefined {
    if (index < 0 || index >= this.length) return undefined;
    return index >= this.start ? this.#buffer.at(index - this.start) : this.#heldAt(index);
  }

  /** @throws ThreadfoldError `HISTORY_NOT_LOADED` when one of the items is not in memory. */
  slice(start = 0, end = this.length): readonly Item[] {
    const from = Math.max(0, start);
    const to = Math.min(end, this.length);
    const items: Item[] = [];
    for (let index = from; index < Math.min(to, this.start); index++) items.push(this.#heldAt(index));
    const rest = this.#buffer.slice(Math.max(0, from - this.start), Math.max(0, to - this.start));
    return items.length === 0 ? rest : items.concat(rest);
  }

  /**
   * Returns an array of all items, followed by the given ones.
   *
   * @throws ThreadfoldError `HISTORY_NOT_LOADED` when an item is not in memory.
   */
  followedBy(items: readonly Item[]): readonly Item[] {
    const isAll = this.start === 0 && this.#buffer.length === this.length;
    const all = isAll ? this.#buffer.followedBy(items) : this.slice().concat(items);
    beginnings.set(all, this);
    return all;
  }

  /** @throws ThreadfoldError `HISTORY_NOT_LOADED` when the prefix would end among items that are not in memory. */
  prefix(length: number): AppendOnlyList<Item> {
    if (length >= this.length) return this;
    const wanted = Math.max(0, length);
    if (wanted < this.start && !this.isWhole) throw historyNotLoaded();
    if (wanted < this.start) return AppendOnlyList.of(this.slice(0, wanted));
    return new AppendOnlyList(this.#buffer, wanted, this.family, this.start, this.#held);
  }

  /** The items that are in memory, with their indexes and in order. */
  *inMemory(): Iterable<readonly [place: number, item: Item]> {
    yield* this.#held;
    for (let index = this.start; index < this.length; index++)
      yield [index, this.#buffer.at(index - this.start) as Item];
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Item;
  }

  #heldAt(index: number): Item {
    const item = this.#held.get(index);
    if (item === undefined) throw historyNotLoaded();
    return item;
  }
}

/**
 * An immutable set of items in the order in which they were added. Like {@link AppendOnlyList}, values share what grows:
 * adding takes constant time for each item, and old values stay valid.
 */
export class AppendOnlySet<Item> {
  readonly items: AppendOnlyList<Item>;
  /** The place of each item in the list, also of items that only later values have. */
  readonly #places: Map<Item, number>;

  private constructor(items: AppendOnlyList<Item>, places: Map<Item, number>) {
    this.items = items;
    this.#places = places;
  }

  static empty<Item>(): AppendOnlySet<Item> {
    return new AppendOnlySet(AppendOnlyList.empty<Item>(), new Map<Item, number>());
  }

  has(item: Item): boolean {
    const place = this.#places.get(item);
    return place !== undefined && place < this.items.length;
  }

  append(items: Iterable<Item>): AppendOnlySet<Item> {
    const added = [...new Set(items)].filter((item) => !this.has(item));
    if (added.length === 0) return this;
    const isNewest = this.#places.size === this.items.length;
    const places = isNewest ? this.#places : new Map(this.items.slice().map((item, place) => [item, place]));
    for (const item of added) places.set(item, places.size);
    return new AppendOnlySet(this.items.append(added), places);
  }
}

/** The lists that arrays begin with. */
const beginnings = new WeakMap<readonly unknown[], AppendOnlyList<unknown>>();

/**
 * Returns how many leading items two arrays are known to share because {@link AppendOnlyList.followedBy} made both from
 * one growing list, so that nobody needs to compare those. They may have more in common.
 */
export function sharedLength(a: readonly unknown[], b: readonly unknown[]): number {
  const [first, second] = [beginnings.get(a), beginnings.get(b)];
  return first === undefined || first.family !== second?.family ? 0 : Math.min(first.length, second.length);
}

/**
 * Running totals over the items of arrays, such as the number of blocks in messages. For an array that
 * {@link AppendOnlyList.followedBy} made, only items that no earlier array of its growing list had are counted.
 */
export class RunningTotals<Item> {
  readonly #countOf: (item: Item) => number;
  /** For each family of lists, the totals up to and including each item. */
  readonly #totals = new WeakMap<object, number[]>();

  /** @param countOf returns the count of an item: 0 or more, and always the same. */
  constructor(countOf: (item: Item) => number) {
    this.#countOf = countOf;
  }

  /** Returns the total of the first `length` items of an array; of all items by default. */
  of(items: readonly Item[], length = items.length): number {
    const known = this.#known(items);
    let index = Math.min(known.length, length);
    let total = known.totals[index - 1] ?? 0;
    for (; index < length; index++) total += this.#countOf(items[index] as Item);
    return total;
  }

  /** Returns the index of the item that brings the total above the given one; -1 when none does. */
  placeAbove(items: readonly Item[], total: number): number {
    const known = this.#known(items);
    const before = known.totals[known.length - 1] ?? 0;
    if (total < before) return firstAbove(known.totals, total);
    let reached = before;
    for (let index = known.length; index < items.length; index++)
      if ((reached += this.#countOf(items[index] as Item)) > total) return index;
    return -1;
  }

  /** Returns the totals of the list that an array begins with, and the length of that list. */
  #known(items: readonly Item[]): { readonly totals: readonly number[]; readonly length: number } {
    const list = beginnings.get(items);
    if (list === undefined) return { totals: [], length: 0 };
    let totals = this.#totals.get(list.family);
    if (totals === undefined) this.#totals.set(list.family, (totals = []));
    for (let index = totals.length; index < list.length; index++)
      totals.push((totals[index - 1] ?? 0) + this.#countOf(items[index] as Item));
    return { totals, length: list.length };
  }
}

/** Returns the first index in an ascending list whose number is above the given one. */
function firstAbove(ascending: readonly number[], number: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) > number) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Messages that are added to an index in one step, in a millisecond or less. */
const INDEXED_AT_A_TIME = 2_048;

/** Finds the ordinal of a message by id. Values of one growing thread share the map; each reads only its own prefix. */
export class ThreadIndex {
  #ordinals: Map<MessageId, number>;
  #length: number;
  /** How many of the messages up to `#length` are missing from the map because they are not in memory. */
  #absent: number;

  constructor(ordinals = new Map<MessageId, number>(), length = 0, absent = 0) {
    this.#ordinals = ordinals;
    this.#length = length;
    this.#absent = absent;
  }

  static of(messages: AppendOnlyList<Message>): ThreadIndex {
    const ordinals = ordinalsOf(messages);
    return new ThreadIndex(ordinals, messages.length, messages.length - ordinals.size);
  }

  /** Returns the index of all messages of a thread, in steps. */
  static *ofInSteps(messages: readonly Message[]): Steps<ThreadIndex> {
    const ordinals = new Map<MessageId, number>();
    for (const { id, ordinal } of messages) {
      ordinals.set(id, ordinal);
      if (ordinals.size % INDEXED_AT_A_TIME === 0) yield;
    }
    return new ThreadIndex(ordinals, messages.length);
  }

  ordinalOf(id: MessageId): number | undefined {
    const ordinal = this.#ordinals.get(id);
    return ordinal !== undefined && ordinal < this.#length ? ordinal : undefined;
  }

  prefix(length: number): ThreadIndex {
    return new ThreadIndex(this.#ordinals, length, this.#absent);
  }

  extend(existing: AppendOnlyList<Message>, added: readonly Message[]): ThreadIndex {
    const shared = this.#ordinals.size === this.#length - this.#absent;
    const ordinals = shared ? this.#ordinals : ordinalsOf(existing);
    for (const message of added) ordinals.set(message.id, message.ordinal);
    return new ThreadIndex(ordinals, this.#length + added.length, this.#absent);
  }
}

function ordinalsOf(messages: AppendOnlyList<Message>): Map<MessageId, number> {
  const ordinals = new Map<MessageId, number>();
  for (const [ordinal, { id }] of messages.inMemory()) ordinals.set(id, ordinal);
  return ordinals;
}
