import type { BenchMachine } from "./bench-machine.ts";
import { markdownTable } from "./text-table.ts";

/** The storage that an agent's calls take, in bytes. */
export interface StorageSize {
  readonly calls: number;
  readonly folds: number;
  /** The messages as JSON, each once: the minimum for a store that does not compress. */
  readonly messageBytes: number;
  /** The files of the SQLite store: messages, plans, journal and indexes. */
  readonly storeBytes: number;
  /** All messages so far as JSON, once for every call. */
  readonly stateBytes: number;
  /** Every request as it was sent. */
  readonly requestBytes: number;
}

/** The results of `bench:storage`. */
export interface StorageResults {
  readonly machine: BenchMachine;
  readonly sizes: readonly StorageSize[];
}

/** Returns a Markdown table of bytes per call. */
export function storageTable(sizes: readonly StorageSize[]): string {
  return markdownTable([
    ["calls", "folds", "messages, once", "threadfold, SQLite", "every request", "all messages at every call"],
    ...sizes.map(({ calls, folds, messageBytes, storeBytes, requestBytes, stateBytes }) => {
      const aCall = [messageBytes, storeBytes, requestBytes, stateBytes].map((bytes) => Math.round(bytes / calls));
      return [calls, folds, ...aCall].map((figure) => figure.toLocaleString("en-US"));
    }),
  ]);
}
