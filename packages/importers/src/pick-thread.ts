import { ThreadfoldError } from "@threadfold/core";
import { listedNames } from "./import-warning.ts";
import type { SourceThread } from "./reading/source-thread.ts";

/**
 * Finds the wanted thread among those of a source.
 *
 * @param wanted its place, from 1, or its name.
 * @returns its place, from 1.
 * @throws ThreadfoldError `INVALID_CONFIG` when the source has no such thread; the message and `details.names` list
 * those that it has.
 */
export function pickThread(threads: readonly SourceThread[], wanted: number | string): number {
  const count = Math.max(1, threads.length);
  const place = typeof wanted === "string" ? threads.findIndex(({ name }) => name === wanted) + 1 : wanted;
  if (Number.isInteger(place) && place >= 1 && place <= count) return place;
  const names = namesOf(threads);
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `The source has ${count} ${count === 1 ? "thread" : "threads"}; ` +
      `there is no thread ${String(wanted).slice(0, 100).toWellFormed()}${listedNames(names)}.`,
    {
      hint:
        count === 1
          ? "Leave the thread out."
          : `Give a thread from 1 to ${count}${names === undefined ? "" : ", or its name"}.`,
      details: {
        thread: typeof wanted === "string" ? wanted.slice(0, 100).toWellFormed() : String(wanted),
        threads: count,
        ...(names && { names }),
      },
    },
  );
}

/** The names of the threads, where the source gives them some. */
export function namesOf(threads: readonly SourceThread[]): readonly string[] | undefined {
  const hasNames = threads.some(({ name }) => name !== undefined);
  return hasNames ? threads.map(({ name }, index) => name ?? String(index + 1)) : undefined;
}
