import type { BenchMachine } from "./bench-machine.ts";
import { markdownTable } from "./text-table.ts";

/** What folds cost behind a history of so many messages, in milliseconds of the processor. */
export interface FoldSize {
  readonly messages: number;
  /** The median of folds over one window each, when the history was folded before. */
  readonly foldMs: number;
  /** The longest stretch of any of them in which nothing else could run. */
  readonly longestBlockMs: number;
  /** The fold of the whole history, which comes before them. */
  readonly firstFoldMs: number;
  readonly firstLongestBlockMs: number;
}

/** What `bench:folds` measured. */
export interface FoldsResults {
  readonly machine: BenchMachine;
  readonly sizes: readonly FoldSize[];
}

/** Folds by the length of the history, as a table in Markdown. */
export function foldsTable(sizes: readonly FoldSize[]): string {
  return markdownTable([
    ["messages", "a fold, ms", "longest hold, ms", "first fold, ms", "its longest hold, ms"],
    ...sizes.map(({ messages, foldMs, longestBlockMs, firstFoldMs, firstLongestBlockMs }) =>
      [messages, foldMs, longestBlockMs, firstFoldMs, firstLongestBlockMs].map((figure) =>
        figure.toLocaleString("en-US"),
      ),
    ),
  ]);
}
