import { wholeNumber } from "./checked-arguments.ts";

/**
 * Reads the options of a journal reading: everything by default.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when one of them is not a whole number of at least 0.
 */
export function journalRange(options: { readonly after?: number; readonly limit?: number } = {}): {
  readonly after: number;
  readonly limit: number;
} {
  return {
    after: wholeNumber("after", options.after, 0, 0),
    limit: wholeNumber("limit", options.limit, 0, Number.MAX_SAFE_INTEGER),
  };
}
