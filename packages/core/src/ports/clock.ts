/** The only source of time. Tests and replays hand in a pinned one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}
