import type { BenchMachine } from "./bench-machine.ts";
import { markdownTable } from "./text-table.ts";

/** The cost of folds after a history of this many messages, in milliseconds of processor time. */
export interface FoldSize {
  readonly messages: number;
  /** Median of folds of one window each, when the history was already folded. */
  readonly foldMs: number;
  /** The longest stretch in any of these folds in which nothing else could run. */
  readonly longestBlockMs: number;
  /** The same with a SQLite file instead of memory. */
  readonly sqliteFoldMs: number;
  readonly sqliteLongestBlockMs: number;
  /** The fold of the whole history, which precedes them. */
  readonly firstFoldMs: number;
  readonly firstLongestBlockMs: number;
  /** Records of the plan after all of these folds. */
  readonly planRecords: number;
  /** Messages that it drops and for which none of its summaries stands. */
  readonly forgottenMessages: number;
}

/** The results of `bench:folds`. */
export interface FoldsResults {
  readonly machine: BenchMachine;
  readonly sizes: readonly FoldSize[];
}

/** Returns a Markdown table of folds by the length of the history. */
export function foldsTable(sizes: readonly FoldSize[]): string {
  return markdownTable([
    [
      ...["messages", "fold, ms", "longest block, ms", "in SQLite, ms", "longest block, ms"],
      ...["first fold, ms", "its longest block, ms", "records", "forgotten"],
    ],
    ...sizes.map((size) =>
      [
        ...[size.messages, size.foldMs, size.longestBlockMs, size.sqliteFoldMs, size.sqliteLongestBlockMs],
        ...[size.firstFoldMs, size.firstLongestBlockMs, size.planRecords, size.forgottenMessages],
      ].map((figure) => figure.toLocaleString("en-US")),
    ),
  ]);
}
