/**
 * Work in small steps: it can be interrupted wherever it yields, and returns its result at the end. It waits for
 * nothing and has no clock; the caller decides what happens between steps. A step takes a few milliseconds at most.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Does all of the work without interruption. */
export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The parts of an event loop that long work needs. */
export interface EventLoop {
  /** Runs a function once the timers and input that are due have been handled. */
  later(run: () => void): unknown;
  /** Milliseconds since an arbitrary moment. */
  now(): number;
}

// Captured when this module is loaded: a host's tests that fake timers would otherwise block every append. A timer
// would wait a millisecond. The first callback of `setImmediate` may run before timers that are due, a nested second
// one runs after them. A browser has only timers.
const host = globalThis;
const immediately: ((run: () => void) => unknown) | undefined = host.setImmediate;
const soon: (run: () => void) => unknown = host.setTimeout;
const MACHINE: EventLoop = {
  later: immediately === undefined ? soon : (run) => immediately(() => immediately(run)),
  now: host.performance.now.bind(host.performance),
};

/** How long work may block the event loop, in milliseconds. */
const PATIENCE_MS = 5;

/** Yields to the event loop between the steps of long work, so that timers that are due can run. */
export class EventLoopTurns {
  readonly #loop: EventLoop;
  #heldSince: number;

  /** @param loop the host's event loop by default. */
  constructor(loop: EventLoop = MACHINE) {
    this.#loop = loop;
    this.#heldSince = loop.now();
  }

  /** Yields if the event loop has been blocked for a while. Timing affects when other work runs, never the result. */
  async take(): Promise<void> {
    if (this.isDue) await this.turn();
  }

  /** True when the event loop has been blocked for a while. Checking this first is cheaper than a needless `await`. */
  get isDue(): boolean {
    return this.#loop.now() - this.#heldSince >= PATIENCE_MS;
  }

  /**
   * Does the work step by step, yielding to the event loop whenever it has been blocked for a while. The result is the
   * same as without interruption, and short work never waits.
   *
   * @throws the signal's reason, when it was aborted by the time the event loop resumed the work; what the work throws.
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

  /** Yields to the event loop whether or not it is due. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#loop.later(resolve);
    });
    this.#heldSince = this.#loop.now();
  }
}

/** Entries of a part of a {@link LongMap}. */
const PART = 1 << 16;

/**
 * Values by text, for work in steps. A `Map` stops at each doubling to copy all that it holds, which is a long step when
 * it holds much; this one goes on in another part, and finds what was set last the soonest.
 */
export class LongMap<Value> {
  readonly #parts: Map<string, Value>[] = [];

  get(key: string): Value | undefined {
    return this.#partOf(key)?.get(key);
  }

  has(key: string): boolean {
    return this.#partOf(key) !== undefined;
  }

  set(key: string, value: Value): void {
    let part = this.#parts.at(-1);
    if (part === undefined || part.size >= PART) this.#parts.push((part = new Map()));
    part.set(key, value);
  }

  #partOf(key: string): Map<string, Value> | undefined {
    return this.#parts.findLast((part) => part.has(key));
  }
}
