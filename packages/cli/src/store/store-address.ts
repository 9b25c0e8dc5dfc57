import { statSync } from "node:fs";
import { ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
import { openStore } from "@threadfold/stores";
import type { CliCall } from "../command/cli-command.ts";
import type { CliIo } from "../output/cli-io.ts";

/** The store that is used when neither option nor environment names one. */
const DEFAULT_STORE = "threadfold.db";

/** Returns the address of the store that a command uses. @throws ThreadfoldError `USAGE` for an empty one. */
export function storeAddress(options: CliCall["options"], env: CliIo["env"]): string {
  const named = options["store"];
  if (named === "") throw new ThreadfoldError("USAGE", "--store is empty; it must be a path.");
  const fromEnvironment = env["THREADFOLD_STORE"];
  if (typeof named === "string") return named;
  return fromEnvironment === undefined || fromEnvironment === "" ? DEFAULT_STORE : fromEnvironment;
}

/**
 * Opens an existing store, runs `work` on it and closes it. A store that does not exist is not created.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE` when there is none, and what opening throws.
 */
export async function readingStore<Result>(
  options: CliCall["options"],
  env: CliIo["env"],
  work: (store: ThreadfoldStore, address: string) => Promise<Result>,
  tenantId: string | null = null,
): Promise<Result> {
  const address = storeAddress(options, env);
  requireStore(address);
  const store = await openStore(address, tenantId === null ? {} : { tenantId });
  try {
    return await work(store, address);
  } finally {
    await store.close();
  }
}

function requireStore(address: string): void {
  // A server reports a missing store itself; only opening a file would create one.
  if (/^postgres(?:ql)?:/.test(address)) return;
  const path = address.replace(/^sqlite:(\/\/)?/, "");
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && (!stats.isFile() || stats.size > 0)) return;
  const what = stats === undefined ? "There is no store" : "There is nothing in the store";
  throw new ThreadfoldError("STORE_UNAVAILABLE", `${what} ${path}.`, {
    hint: "Name one with --store or THREADFOLD_STORE, or make one with: threadfold import <file> --store <file>",
    details: { path },
  });
}
