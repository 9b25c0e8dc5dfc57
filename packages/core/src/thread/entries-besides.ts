import type { AppendOnlyList } from "./append-only-list.ts";
import type { OrdinalRun } from "./span-reference.ts";
import type { ThreadEntry } from "./thread-entry.ts";

/**
 * The entries of a log without the messages of some runs, each with the version that it made. Pins and liftings among those
 * messages are not left out.
 *
 * @param runs in order, of messages that the log has.
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

/** Places of entries that are no messages, and how many entries were looked at. */
interface OtherEntries {
  looked: number;
  readonly places: number[];
}

const others = new WeakMap<object, OtherEntries>();

/** The places of entries that are no messages, in order. Each entry of a growing log is looked at once. */
function otherEntries(entries: AppendOnlyList<ThreadEntry>): readonly number[] {
  const known = others.get(entries.family) ?? { looked: 0, places: [] };
  others.set(entries.family, known);
  for (; known.looked < entries.length; known.looked++) {
    if (entries.at(known.looked)?.type !== "message") known.places.push(known.looked);
  }
  const isOfThis = (known.places.at(-1) ?? -1) < entries.length;
  return isOfThis ? known.places : known.places.filter((place) => place < entries.length);
}

/** The place of a message: its ordinal, and how many entries that are no messages stand before it. */
function placeOfMessage(ordinal: number, places: readonly number[]): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) - middle <= ordinal) low = middle + 1;
    else high = middle;
  }
  return ordinal + low;
}
