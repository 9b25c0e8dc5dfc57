import { raceSignal, ThreadfoldError, withinLimit } from "@threadfold/core";

/** How long work that was aborted may take to come to its own end, in milliseconds; then it is given up. */
const ABORT_GRACE_MS = 1_000;

/**
 * Returns what work returns, unless its signal is aborted and it does not end soon after that by itself: what ignores
 * its signal, such as a store that does not answer, is given up then.
 *
 * @param start is told to begin nothing more by its own signal, once nobody waits for it.
 * @throws ThreadfoldError `ABORTED` with the signal's reason as its cause.
 */
export async function untilGivenUp<Result>(
  start: (givenUp: AbortSignal) => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const givenUp = new AbortController();
  if (signal === undefined) return start(givenUp.signal);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUpSoon = (): void => {
    timer = setTimeout(() => {
      const message = `It was aborted, and what was under way did not end within ${ABORT_GRACE_MS} ms.`;
      givenUp.abort(new ThreadfoldError("ABORTED", message, { cause: signal.reason }));
    }, ABORT_GRACE_MS);
  };
  if (signal.aborted) giveUpSoon();
  else signal.addEventListener("abort", giveUpSoon, { once: true });
  try {
    return await raceSignal(() => start(givenUp.signal), givenUp.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUpSoon);
  }
}

/** How long a session waits by default until it is closed, in milliseconds. */
const CLOSE_TIME_LIMIT_MS = 10_000;

/** What is closed: how to wait for what is under way, how to abort it, and what to close then. */
export interface Closing {
  readonly idle: () => Promise<unknown>;
  readonly abort: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Closes a session, and always answers: what does not end within the limit is aborted, and given up when it ignores
 * that.
 *
 * @throws ThreadfoldError `TIMED_OUT` that names what was given up; what closing the store throws.
 */
export async function closeInTime({ idle, abort, close }: Closing, milliseconds = CLOSE_TIME_LIMIT_MS): Promise<void> {
  const limit = { milliseconds, option: "closeTimeLimitMs", timers: globalThis };
  let givenUp: unknown;
  try {
    await withinLimit(idle, { ...limit, waitedFor: "what was under way in the session" });
  } catch (late) {
    abort();
    await withinLimit(idle, { ...limit, milliseconds: ABORT_GRACE_MS, waitedFor: "it" }).catch(() => (givenUp = late));
  }
  await withinLimit(close, { ...limit, waitedFor: "the store's close" });
  if (givenUp !== undefined) throw givenUp;
}

/** Runs tasks one after the other, in the order in which they were handed in. A task that fails stops no other. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task when all before it have ended, and returns its result. A task must not wait for another one of its queue. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task, task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Calls that are answered one after the other, and given up by whoever aborts them. */
export class TurnQueue extends SerialQueue {
  /**
   * Runs work when its turn has come. What is aborted before that does not begin, and what does not end soon after its abort
   * is given up; see {@link untilGivenUp}.
   */
  inTime<Result>(work: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    const turn = (givenUp: AbortSignal): Promise<Result> =>
      this.run(async () => {
        givenUp.throwIfAborted();
        return work();
      });
    return untilGivenUp(turn, signal);
  }
}
