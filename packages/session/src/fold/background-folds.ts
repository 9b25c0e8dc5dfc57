import type { CompactionOutcome } from "@threadfold/core";
import type { CompactOptions } from "@threadfold/turn";
import { untilGivenUp } from "../waits/turn-queue.ts";

/** The outcome of a fold that was aborted and did not end: nothing is known of it. */
export const ABANDONED: CompactionOutcome = Object.freeze({
  type: "aborted",
  tokens: Object.freeze({ before: 0, after: 0 }),
});

/** A fold in the background. */
export interface BackgroundFold {
  /** Its outcome. Never rejects. `conflict` when another plan was committed while it was made, which then holds. */
  readonly done: Promise<CompactionOutcome>;
}

/** A signal that fires with the first of two. */
export const either = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  one === undefined ? other : AbortSignal.any([one, other]);

/** The folds of a session that nobody waits for: one at a time, until the session closes. */
export class BackgroundFolds {
  readonly #fold: (options: CompactOptions) => Promise<CompactionOutcome>;
  readonly #closing = new AbortController();
  #current: BackgroundFold | undefined;
  #next: CompactOptions | undefined;

  /** @param fold makes a fold, and never rejects. */
  constructor(fold: (options: CompactOptions) => Promise<CompactionOutcome>) {
    this.#fold = fold;
  }

  get isUnderWay(): boolean {
    return this.#current !== undefined;
  }

  /** Starts a fold. A second call returns the first while that is under way. */
  start(options: CompactOptions): BackgroundFold {
    if (this.#current !== undefined) return this.#current;
    this.#next = undefined;
    const signal = either(options.signal, this.#closing.signal);
    const work = this.#fold({ ...options, signal });
    const fold = { done: untilGivenUp(() => work, signal).catch(() => ABANDONED) };
    // What was given up is under way for as long as it does not end, so that no second one runs at the same time.
    void work.finally(() => {
      if (this.#current === fold) this.#current = undefined;
    });
    this.#current = fold;
    return fold;
  }

  /** Takes note of a fold that a request found due. Its signal is that of the request, which ends before the fold does. */
  foldNext({ frame }: CompactOptions): void {
    this.#next = frame === undefined ? {} : { frame };
  }

  /** Starts what a request found due, now that the request is handed out and waits for none of the fold's work. */
  startNext(): void {
    if (this.#next !== undefined && !this.#closing.signal.aborted) this.start(this.#next);
  }

  /** Aborts what is under way, and waits for its end, or until it is given up. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#current?.done;
  }
}
