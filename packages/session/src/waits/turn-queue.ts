import { raceSignal, ThreadfoldError, withinLimit } from "@threadfold/core";

/** How long aborted work may take to end before it is abandoned, in milliseconds. */
const ABORT_GRACE_MS = 1_000;

/**
 * Returns the result of some work, unless its signal is aborted and it does not end soon afterwards: work that ignores
 * the signal, such as a store call without an answer, is then abandoned.
 *
 * @param start starts the work; the signal that it gets tells it to begin nothing more once it is abandoned.
 * @throws ThreadfoldError `ABORTED`, with the signal's reason as its cause, when the work was abandoned.
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
      const message = `It was aborted, and the work in progress did not end within ${ABORT_GRACE_MS} ms.`;
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

/** Default time limit for closing a session, in milliseconds. */
const CLOSE_TIME_LIMIT_MS = 10_000;

/** The steps of closing: wait for work in progress, abort it if needed, then close. */
export interface Closing {
  readonly idle: () => Promise<unknown>;
  readonly abort: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Closes a session, and always settles: work that does not end within the limit is aborted, and abandoned if it ignores
 * that.
 *
 * @throws ThreadfoldError `TIMED_OUT`, naming what was abandoned; what closing the store throws.
 */
export async function closeInTime({ idle, abort, close }: Closing, milliseconds = CLOSE_TIME_LIMIT_MS): Promise<void> {
  const limit = { milliseconds, option: "closeTimeLimitMs", timers: globalThis };
  let givenUp: unknown;
  try {
    await withinLimit(idle, { ...limit, waitedFor: "the work in progress in the session" });
  } catch (late) {
    abort();
    await withinLimit(idle, { ...limit, milliseconds: ABORT_GRACE_MS, waitedFor: "it" }).catch(() => (givenUp = late));
  }
  await withinLimit(close, { ...limit, waitedFor: "the store's close" });
  if (givenUp !== undefined) throw givenUp;
}

/** Runs tasks one at a time, in the order in which they were added. A task that fails does not stop the others. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task after all earlier ones, and returns its result. A task must not wait for another one in its queue. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task, task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** A queue of calls that run one at a time and that their callers can abort. */
export class TurnQueue extends SerialQueue {
  /**
   * Runs work when its turn comes. Work that is aborted before then is not started, and work that does not end soon
   * after being aborted is abandoned; see {@link untilGivenUp}.
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
