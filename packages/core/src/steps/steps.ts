/**
 * Work in small steps: it may be interrupted wherever it yields, and gives its result at the end. It waits for nothing and
 * knows no clock; who runs it decides what happens between two steps. Each step is a few milliseconds at the most.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Does all of the work at once. */
export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
