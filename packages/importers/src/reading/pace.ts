import { EventLoopTurns, type Steps, ThreadfoldError } from "@threadfold/core";

/** How far an import has come, in bytes of the decompressed source. */
export interface ImportProgress {
  readonly bytes: number;
  readonly total: number;
}

/** How many UTF-16 code units are read between two reports at the most. */
const STRIDE = 512 * 1024;

/** Yields to other work, reports progress and checks for an abort, every so often. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: ImportProgress) => void) | undefined;
  readonly #turns = new EventLoopTurns();
  #next = STRIDE;

  constructor(signal: AbortSignal | undefined, onProgress: ((progress: ImportProgress) => void) | undefined) {
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  /** True when it is time to pause. */
  isDue(position: number): boolean {
    return position >= this.#next || this.#turns.isDue;
  }

  /** @throws ThreadfoldError `ABORTED`. */
  async pause(position: number, length: number, totalBytes: number): Promise<void> {
    this.#next = position + STRIDE;
    this.report(Math.floor((position / length) * totalBytes), totalBytes);
    await this.#turns.turn();
    this.check();
  }

  /** Does work step by step, with pauses. @throws ThreadfoldError `ABORTED`; what the work throws. */
  async finish<Result>(steps: Steps<Result>): Promise<Result> {
    try {
      return await this.#turns.finish(steps, this.#signal);
    } catch (error) {
      if (error === this.#signal?.reason) this.check();
      throw error;
    }
  }

  /** @throws ThreadfoldError `ABORTED`. */
  check(): void {
    if (this.#signal?.aborted) {
      throw new ThreadfoldError("ABORTED", "The import was aborted.", { cause: this.#signal.reason });
    }
  }

  report(bytes: number, total: number): void {
    this.#onProgress?.({ bytes, total });
  }
}
