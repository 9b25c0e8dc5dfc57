import type { Clock } from "@threadfold/core";
import type { SingleBar } from "cli-progress";
import type { CliIo, CliOutput } from "../output/cli-io.ts";

/** Options that decide how progress is shown. */
export interface ProgressWishes {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Returns the appropriate progress: none when quiet, a bar for a person at a terminal, otherwise occasional lines. */
export function progressFor(io: Pick<CliIo, "stderr" | "env" | "clock">, { json, quiet }: ProgressWishes): Progress {
  if (quiet) return SILENT_PROGRESS;
  const { stream } = io.stderr;
  const automatic = json || isSet(io.env["CI"]) || io.env["TERM"] === "dumb";
  if (stream !== undefined && io.stderr.isTTY && !automatic) return new BarProgress(stream, io.clock);
  return new LineProgress(io.stderr, io.clock);
}

const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== "" && value !== "0" && value !== "false";

/** Milliseconds between two lines. */
const INTERVAL_MS = 5_000;

/** Progress for logs and pipes: one line every five seconds, and none for work that finishes sooner. */
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

/// <reference path="./cli-progress.d.ts" />

/** Work that finishes within this time, in milliseconds, shows no bar, which would only flicker. */
const PATIENCE_MS = 400;

/** Progress for a person: a bar on the terminal of standard error. The bar is loaded when first needed. */
export class BarProgress implements Progress {
  readonly #clock: Clock;
  readonly #load: () => Promise<SingleBar>;
  readonly #start: number;
  #bar: SingleBar | undefined;
  #state: "waiting" | "loading" | "shown" | "stopped" = "waiting";

  constructor(stream: NodeJS.WritableStream, clock: Clock, load = () => loadBar(stream)) {
    this.#clock = clock;
    this.#load = load;
    this.#start = clock.now();
  }

  update(phase: string, share: number): void {
    if (this.#state === "waiting" && this.#clock.now() - this.#start >= PATIENCE_MS) this.#show();
    this.#bar?.update(Math.floor(share * 100), { phase });
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#state = "stopped";
  }

  #show(): void {
    this.#state = "loading";
    this.#load().then(
      (bar) => {
        if (this.#state === "stopped") return;
        this.#bar = bar;
        this.#state = "shown";
        bar.start(100, 0, { phase: "" });
      },
      () => {
        // A bar that cannot be drawn is not a reason to fail.
        this.#state = "stopped";
      },
    );
  }
}

async function loadBar(stream: NodeJS.WritableStream): Promise<SingleBar> {
  const { default: cliProgress } = await import("cli-progress");
  const options = { format: " {bar} {percentage} % {phase}", stream, clearOnComplete: true, linewrap: true };
  return new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
}

/** Shows the progress of a command. */
export interface Progress {
  /**
   * @param phase what is being done, in a word or two.
   * @param share the share of the command's work that is done, from 0 to 1.
   */
  update(phase: string, share: number): void;
  /** Removes the bar. Nothing is shown after this. */
  stop(): void;
}

/** Shows nothing, for `--quiet` and for tests. */
export const SILENT_PROGRESS: Progress = Object.freeze({ update: () => undefined, stop: () => undefined });
