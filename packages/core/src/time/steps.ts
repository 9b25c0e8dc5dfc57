/**
 * Work in small steps: it may be interrupted wherever it yields, and returns its result at the end. It waits for nothing and
 * knows no clock; the caller decides what happens between two steps. Each step is a few milliseconds at the most.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Does all of the work at once. */
export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** An event loop, as far as long work needs it. */
export interface EventLoop {
  /** Runs something once timers and input that are due have been handled. */
  later(run: () => void): unknown;
  /** Milliseconds since some moment. */
  now(): number;
}

// Kept from when this was loaded: a host's tests that fake timers would otherwise hold up every append. A timer would wait
// a millisecond; of what runs immediately, the first may come before timers that are due, the second comes after them. A
// browser has timers alone.
const host = globalThis;
const immediately: ((run: () => void) => unknown) | undefined = host.setImmediate;
const soon: (run: () => void) => unknown = host.setTimeout;
const MACHINE: EventLoop = {
  later: immediately === undefined ? soon : (run) => immediately(() => immediately(run)),
  now: host.performance.now.bind(host.performance),
};

/** How long work may hold up the event loop, in milliseconds. */
const PATIENCE_MS = 5;

/** Lets the event loop turn between the pieces of a long piece of work, so that timers that are due can run. */
export class EventLoopTurns {
  readonly #loop: EventLoop;
  #heldSince: number;

  /** @param loop this machine's by default. */
  constructor(loop: EventLoop = MACHINE) {
    this.#loop = loop;
    this.#heldSince = loop.now();
  }

  /** Lets it turn when it was held up for a while. Timing decides when others run, and never the result. */
  async take(): Promise<void> {
    if (this.isDue) await this.turn();
  }

  /** True when it was held up for a while: asking costs less than waiting for nothing. */
  get isDue(): boolean {
    return this.#loop.now() - this.#heldSince >= PATIENCE_MS;
  }

  /**
   * Does a piece of work step by step and lets the event loop turn in between whenever it was held up for a while: what
   * comes out is the same as when it is done at once. Work that is soon done waits for nothing.
   *
   * @throws the signal's reason, when it was aborted by the time the loop had turned; what the work throws.
   */
  async finish<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (!this.isDue) continue;
      await this.turn();
      signal?.throwIfAborted();
    }
  }

  /** Lets it turn whether it is due or not. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#loop.later(resolve);
    });
    this.#heldSince = this.#loop.now();
  }
}
