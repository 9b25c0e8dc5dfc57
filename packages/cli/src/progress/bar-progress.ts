/// <reference path="./cli-progress.d.ts" />
import type { Clock } from "@threadfold/core";
import type { SingleBar } from "cli-progress";
import type { Progress } from "./progress.ts";

/** What is done within this time, in milliseconds, shows no bar: it would only flicker. */
const PATIENCE_MS = 400;

/** Progress for a person: a bar on the terminal behind standard error. The bar is loaded when it is first needed. */
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
        // A bar that cannot be drawn is no reason to fail.
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
