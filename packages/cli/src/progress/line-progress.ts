import type { Clock } from "@threadfold/core";
import type { CliOutput } from "../cli-io.ts";
import type { Progress } from "./progress.ts";

/** Milliseconds between two lines. */
const INTERVAL_MS = 5_000;

/** Progress for logs and pipes: one line every five seconds, and none at all for work that is done sooner. */
export class LineProgress implements Progress {
  readonly #output: CliOutput;
  readonly #clock: Clock;
  #next: number;

  constructor(output: CliOutput, clock: Clock) {
    this.#output = output;
    this.#clock = clock;
    this.#next = clock.now() + INTERVAL_MS;
  }

  update(phase: string, share: number): void {
    const now = this.#clock.now();
    if (now < this.#next) return;
    this.#next = now + INTERVAL_MS;
    this.#output.write(`${phase} ${Math.floor(share * 100)} %\n`);
  }

  stop(): void {
    this.#next = Number.POSITIVE_INFINITY;
  }
}
