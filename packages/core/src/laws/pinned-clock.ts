import type { Clock } from "../ports/clock.ts";

/** A clock that always shows the same time, given in milliseconds since the epoch. */
export const pinnedClock = (ms: number): Clock => Object.freeze({ now: () => ms });
