import { untilGivenUp } from "./given-up.ts";

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
