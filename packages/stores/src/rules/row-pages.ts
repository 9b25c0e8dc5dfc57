import { ThreadfoldError } from "@threadfold/core";

/** Where a row stands among those that are read with it: a number that only grows. */
interface Placed {
  readonly place: number;
}

/**
 * Reads rows from the first to the last, a page at a time, so that a long thread is never in memory as a whole. Each page
 * begins behind the last row of the page before; in a damaged file that may be one that was read already, and the
 * reading would never end.
 *
 * @param what names the rows in an error.
 * @param atATime how many rows are on a page.
 * @param read gives the page that begins behind a place.
 * @throws ThreadfoldError `STORE_CORRUPT` when a row does not come behind the row before.
 */
export async function* rowPages<Row extends object>(
  what: string,
  atATime: number,
  read: (after: number, limit: number) => readonly (Row & Placed)[] | Promise<readonly (Row & Placed)[]>,
): AsyncGenerator<Row> {
  let after = 0;
  for (;;) {
    const rows = await read(after, atATime);
    for (const { place, ...row } of rows) {
      requireAscent(what, after, place);
      yield row as unknown as Row;
      after = place;
    }
    if (rows.length < atATime) return;
  }
}

/** Makes sure that what is read in order comes in order. @throws ThreadfoldError `STORE_CORRUPT`. */
export function requireAscent(what: string, before: number, place: number): void {
  if (place > before) return;
  throw new ThreadfoldError("STORE_CORRUPT", `The ${what} are out of order: behind ${before} comes ${place}.`, {
    details: { after: before, at: place },
  });
}
