import { EventLoopTurns, type Steps, ThreadfoldError } from "@threadfold/core";

/** The progress of an import, in bytes of the decompressed source. */
export interface ImportProgress {
  readonly bytes: number;
  readonly total: number;
}

/** Maximum number of UTF-16 code units read between two reports. */
const STRIDE = 512 * 1024;

/** Periodically yields to the event loop, reports progress and checks for an abort. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: ImportProgress) => void) | undefined;
  readonly #turns = new EventLoopTurns();
  #next = STRIDE;

  constructor(signal: AbortSignal | undefined, onProgress: ((progress: ImportProgress) => void) | undefined) {
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  /** Checks whether a pause is due. */
  isDue(position: number): boolean {
    return position >= this.#next || this.#turns.isDue;
  }

  /** Reports progress, yields and checks for an abort. @throws ThreadfoldError `ABORTED`. */
  async pause(position: number, length: number, totalBytes: number): Promise<void> {
    this.#next = position + STRIDE;
    this.report(Math.floor((position / length) * totalBytes), totalBytes);
    await this.#turns.turn();
    this.check();
  }

  /** Runs work step by step, with pauses. @throws ThreadfoldError `ABORTED`; what the work throws. */
  async finish<Result>(steps: Steps<Result>): Promise<Result> {
    try {
      return await this.#turns.finish(steps, this.#signal);
    } catch (error) {
      if (error === this.#signal?.reason) this.check();
      throw error;
    }
  }

  /** Checks for an abort. @throws ThreadfoldError `ABORTED`. */
  check(): void {
    if (this.#signal?.aborted) {
      throw new ThreadfoldError("ABORTED", "The import was aborted.", { cause: this.#signal.reason });
    }
  }

  report(bytes: number, total: number): void {
    this.#onProgress?.({ bytes, total });
  }
}
