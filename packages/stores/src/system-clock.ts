import type { Clock } from "@threadfold/core";

/** The machine's clock. This is the edge where time comes in; tests and replays hand in a pinned one. */
export const systemClock: Clock = Object.freeze({ now: () => Date.now() });
