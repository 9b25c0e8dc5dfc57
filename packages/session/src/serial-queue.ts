/** Runs tasks one after the other, in the order in which they were handed in. A task that fails stops no other. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task when all before it have ended, and gives what it gives. A task must not wait for another one of its queue. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task, task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
