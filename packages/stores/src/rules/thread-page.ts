import { type Page, ThreadfoldError } from "@threadfold/core";
import { wholeNumber } from "./checked-arguments.ts";
import { requireAscent } from "./row-pages.ts";

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 1_000;

/** Where a page begins and how much goes on it. */
export interface PageRequest {
  /** Place of the last item of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

/**
 * Reads the options of a listing. A limit above 1,000 gives 1,000; a cursor is what an earlier page gave.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a cursor that no page gave, or a limit below 1.
 */
export function pageRequest(options: { readonly cursor?: string; readonly limit?: number } = {}): PageRequest {
  const limit = Math.min(wholeNumber("limit", options.limit, 1, DEFAULT_LIMIT), LARGEST_LIMIT);
  if (options.cursor === undefined) return { after: 0, limit };
  if (!/^[1-9][0-9]{0,14}$/.test(options.cursor)) {
    throw new ThreadfoldError("INVALID_CONFIG", "cursor has to be the nextCursor of an earlier page.");
  }
  return { after: Number(options.cursor), limit };
}

/**
 * A page of items that were read with their places, one more than the limit when there are more.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when they do not come in order: the pages behind this one would never end.
 */
export function pageOf<Item>(
  found: readonly { readonly place: number; readonly item: Item }[],
  { after, limit }: PageRequest,
): Page<Item> {
  let before = after;
  for (const { place } of found) {
    requireAscent("threads", before, place);
    before = place;
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return Object.freeze({
    items: Object.freeze(shown.map(({ item }) => item)),
    nextCursor: found.length > limit && last !== undefined ? String(last.place) : null,
  });
}
