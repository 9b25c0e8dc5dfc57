import type { LogEnd } from "../rules/log-end.ts";

/** How many ends are remembered. Looking one up again is cheap; remembering every thread of a large store is not. */
const REMEMBERED = 4_096;

/** Where a connection left the threads that it appended to. Another one may have gone on since. */
export class KnownEnds {
  readonly #ends = new Map<number, LogEnd>();

  of(threadKey: number): LogEnd | undefined {
    return this.#ends.get(threadKey);
  }

  remember(threadKey: number, end: LogEnd): void {
    if (this.#ends.size >= REMEMBERED) this.#ends.clear();
    this.#ends.set(threadKey, end);
  }

  forget(threadKey: number): void {
    this.#ends.delete(threadKey);
  }
}
