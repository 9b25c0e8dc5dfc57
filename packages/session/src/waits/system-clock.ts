import type { Clock } from "@threadfold/core";

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({ now: () => Date.now() });
