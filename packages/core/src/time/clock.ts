import { refuseArgument } from "../errors/checked-options.ts";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import * as z from "../json/schema.ts";

/** The only source of time. Tests and replays pass in a pinned clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

const ISO_TIME = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Checks whether a value is an ISO 8601 date, or a time with its zone, which means the same on every machine. */
export const isTime = (value: unknown): value is string =>
  typeof value === "string" && ISO_TIME.test(value) && !Number.isNaN(Date.parse(value));

/** Accepts an ISO 8601 date, or a time with its zone. */
export const timeSchema = z.custom<string>(
  isTime,
  "it must be an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
);

/** The timer functions of `globalThis`. Passed in, because core has no clock. */
export interface Timers {
  setTimeout(run: () => void, milliseconds: number): unknown;
  clearTimeout(timer: never): void;
}

/** The limit on a wait. */
export interface TimeLimit {
  readonly milliseconds: number;
  /** What is being waited for, as an error names it: `the summarizer`. */
  readonly waitedFor: string;
  /** The option that sets the limit. */
  readonly option: string;
  readonly timers: Timers;
  /** Ends the wait immediately with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Makes the error of a wait that took too long; {@link timedOut} by default. */
  readonly late?: (limit: TimeLimit) => unknown;
}

/**
 * Waits for work up to a time limit, whether or not the work heeds its signal. Anything it returns or throws after that
 * is ignored.
 *
 * @throws the signal's reason, the error of `late` when the limit is exceeded, or what the work throws.
 */
export async function withinLimit<Result>(
  work: (signal: AbortSignal) => Result | Promise<Result>,
  limit: TimeLimit,
): Promise<Result> {
  const { milliseconds, timers, signal, late = timedOut } = limit;
  const ended = new AbortController();
  const timer = timers.setTimeout(() => ended.abort(late(limit)), milliseconds);
  const either = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  try {
    return await raceSignal(() => work(either), either);
  } finally {
    timers.clearTimeout(timer as never);
  }
}

/** Settles as the work does, or rejects with the signal's reason once aborted, whether or not the work heeds it. */
export function raceSignal<Result>(work: () => Result | Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    const settle = (): void => signal.removeEventListener("abort", leave);
    // Handles both outcomes, so that a late failure is not an unhandled rejection.
    new Promise<Result>((run) => run(work())).then(resolve, reject).finally(settle);
  });
}

/** Makes the error of a wait that took too long. */
export function timedOut({ waitedFor, milliseconds, option }: TimeLimit): ThreadfoldError {
  return new ThreadfoldError("TIMED_OUT", `There was no answer from ${waitedFor} within ${milliseconds} ms.`, {
    details: { waitedFor, milliseconds, option },
    hint: `Check why it does not answer, or give it more time with ${option}. A late answer changes nothing here.`,
  });
}

/** A week, in milliseconds: timers can wait for no more than three and a half weeks. */
const LONGEST = 7 * 24 * 60 * 60 * 1_000;

/** Checks an option that limits a wait. @throws ThreadfoldError `INVALID_CONFIG`. */
export function checkTimeLimit(option: string, milliseconds: number): number {
  if (Number.isSafeInteger(milliseconds) && milliseconds >= 1 && milliseconds <= LONGEST) return milliseconds;
  refuseArgument(option, `it has to be a whole number of milliseconds from 1 to ${LONGEST}.`);
}
