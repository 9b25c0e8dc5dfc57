import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns a temporary folder, on the disk or, if only speed matters, in memory. */
export function freshFolder(place: "disk" | "memory" = "disk"): { readonly path: string; readonly remove: () => void } {
  const root = place === "memory" && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const path = realpathSync(mkdtempSync(join(root, "threadfold-reliability-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs rounds of work on several lanes at once, so that one lane works while another waits. */
export async function onLanes(lanes: number, rounds: number, work: (round: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < rounds) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Random-looking numbers that are the same for the same seed (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 up to, but excluding, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 up to, but excluding, the given one. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}
