import { setImmediate as nextTick } from "node:timers/promises";
import { ThreadfoldError } from "@threadfold/core";

/** How far an import has come, in bytes of the decompressed source. */
export interface ImportProgress {
  readonly bytes: number;
  readonly total: number;
}

/** How many UTF-16 code units are read between two pauses. */
const STRIDE = 512 * 1024;

/**
 * Yields to other work, reports progress and checks for an abort, every so often. Without a listener it costs nothing.
 */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: ImportProgress) => void) | undefined;
  #next: number;

  constructor(signal: AbortSignal | undefined, onProgress: ((progress: ImportProgress) => void) | undefined) {
    this.#signal = signal;
    this.#onProgress = onProgress;
    this.#next = signal === undefined && onProgress === undefined ? Number.POSITIVE_INFINITY : STRIDE;
  }

  /** True when it is time to pause. */
  isDue(position: number): boolean {
    return position >= this.#next;
  }

  /** @throws ThreadfoldError `ABORTED`. */
  async pause(position: number, length: number, totalBytes: number): Promise<void> {
    this.#next = position + STRIDE;
    this.report(Math.floor((position / length) * totalBytes), totalBytes);
    await nextTick();
    this.check();
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
