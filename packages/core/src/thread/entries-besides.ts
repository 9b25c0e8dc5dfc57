import type { AppendOnlyList } from "./append-only-list.ts";
import type { OrdinalRun } from "./span-reference.ts";
import type { ThreadEntry } from "./thread-entry.ts";

/**
 * Iterates over the entries of a log except the messages of some runs, each with the version that it made. Pins and
 * liftings between those messages are included.
 *
 * @param runs in order; the log must have their messages.
 */
export function* entriesBesides(
  entries: AppendOnlyList<ThreadEntry>,
  runs: readonly OrdinalRun[],
): Iterable<{ readonly version: number; readonly entry: ThreadEntry }> {
  const others = otherEntries(entries);
  let place = 0;
  for (const { from, to } of runs) {
    const start = placeOfMessage(from, others);
    for (const entry of entries.slice(place, start)) yield { version: ++place, entry };
    place = placeOfMessage(to, others) + 1;
    for (let index = start - from; (others[index] ?? place) < place; index++) {
      const at = others[index] as number;
      yield { version: at + 1, entry: entries.at(at) as ThreadEntry };
    }
  }
  for (const entry of entries.slice(place)) yield { version: ++place, entry };
}

/** The indexes of entries that are not messages, and the number of entries examined so far. */
interface OtherEntries {
  looked: number;
  readonly places: number[];
}

const others = new WeakMap<object, OtherEntries>();

/** The indexes of entries that are not messages, in order. Each entry of a growing log is examined only once. */
function otherEntries(entries: AppendOnlyList<ThreadEntry>): readonly number[] {
  const known = others.get(entries.family) ?? { looked: 0, places: [] };
  others.set(entries.family, known);
  for (; known.looked < entries.length; known.looked++) {
    if (entries.at(known.looked)?.type !== "message") known.places.push(known.looked);
  }
  const isOfThis = (known.places.at(-1) ?? -1) < entries.length;
  return isOfThis ? known.places : known.places.filter((place) => place < entries.length);
}

/** The index of a message's entry: its ordinal plus the number of entries before it that are not messages. */
function placeOfMessage(ordinal: number, places: readonly number[]): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) - middle <= ordinal) low = middle + 1;
    else high = middle;
  }
  return ordinal + low;
}
