import type { Steps } from "../steps/steps.ts";

/** What an event loop is asked for, as the machine's own `setTimeout` and `performance.now` give it. */
export interface EventLoop {
  later(run: () => void, milliseconds: number): unknown;
  /** Milliseconds since some moment. */
  now(): number;
}

/** So long may work hold the event loop up, in milliseconds. Letting it turn takes one. */
const PATIENCE_MS = 5;

/** Lets the event loop turn between the pieces of a long piece of work, so that timers that are due are heard. */
export class EventLoopTurns {
  readonly #loop: EventLoop;
  #heldSince: number;

  constructor(loop: EventLoop) {
    this.#loop = loop;
    this.#heldSince = loop.now();
  }

  /** Lets it turn when it was held up for a while. Timing says when others run, and nothing of what comes out. */
  async take(): Promise<void> {
    if (this.isDue) await this.turn();
  }

  /** True when it was held up for a while: asking costs less than waiting for nothing. */
  get isDue(): boolean {
    return this.#loop.now() - this.#heldSince >= PATIENCE_MS;
  }

  /**
   * Does a piece of work step by step and lets the event loop turn in between whenever it was held up for a while: what
   * comes out is what doing it at once gives. Work that is soon done waits for nothing.
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

  /** Lets it turn in any case. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#loop.later(resolve, 0);
    });
    this.#heldSince = this.#loop.now();
  }
}
