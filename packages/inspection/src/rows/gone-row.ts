/** A message that the newest request does not show as it is, and whether that was a pity. */
export interface GoneRow {
  /** Its ordinal. */
  readonly message: number;
  /** Tokens of the message as it is logged. */
  readonly tokens: number;
  /** Place in `records`. */
  readonly record: number;
  /** Calls made after it was folded whose arguments name something that stands in it and stood nowhere in their prompt. */
  readonly neededBy: readonly number[];
  /** What they named, each once, redacted. */
  readonly needed: readonly string[];
  /** Words that `search_thread` was asked for it with; empty where it was not asked. */
  readonly query: string;
  /** Its place among the answers to that query, from 1; null when it is not among the first ten. */
  readonly rank: number | null;
}
