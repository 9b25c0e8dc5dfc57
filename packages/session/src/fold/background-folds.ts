import type { CompactionOutcome } from "@threadfold/core";
import type { CompactOptions } from "@threadfold/turn";
import { untilGivenUp } from "../waits/turn-queue.ts";

/** The outcome of a fold that was aborted but did not end, so that its real outcome is unknown. */
export const ABANDONED: CompactionOutcome = Object.freeze({
  type: "aborted",
  tokens: Object.freeze({ before: 0, after: 0 }),
});

/** A fold in the background. */
export interface BackgroundFold {
  /** Its outcome. Never rejects. `conflict` when another plan was committed first; that plan then stays in force. */
  readonly done: Promise<CompactionOutcome>;
}

/** Returns a signal that aborts as soon as either of two does. */
export const either = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  one === undefined ? other : AbortSignal.any([one, other]);

/** Runs the folds of a session that no caller waits for, one at a time, until the session closes. */
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

  /** Starts a fold. While one is running, returns that one instead. */
  start(options: CompactOptions): BackgroundFold {
    if (this.#current !== undefined) return this.#current;
    this.#next = undefined;
    const signal = either(options.signal, this.#closing.signal);
    const work = this.#fold({ ...options, signal });
    const fold = { done: untilGivenUp(() => work, signal).catch(() => ABANDONED) };
    // An abandoned fold counts as running until it really ends, so that no second one runs at the same time.
    void work.finally(() => {
      if (this.#current === fold) this.#current = undefined;
    });
    this.#current = fold;
    return fold;
  }

  /** Schedules a fold that a request found due, without the request's signal: the request ends before the fold does. */
  foldNext({ frame }: CompactOptions): void {
    this.#next = frame === undefined ? {} : { frame };
  }

  /** Starts the scheduled fold, once the request has been returned and does not wait for any of the fold's work. */
  startNext(): void {
    if (this.#next !== undefined && !this.#closing.signal.aborted) this.start(this.#next);
  }

  /** Aborts the running fold, and waits until it ends or is abandoned. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#current?.done;
  }
}
