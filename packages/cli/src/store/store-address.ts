import { type Stats, statSync } from "node:fs";
import { ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
import { type OpenStoreOptions, openStore } from "@threadfold/stores";
import type { CliCall } from "../command/cli-command.ts";
import type { CliIo } from "../output/cli-io.ts";
import { fileProblem } from "../output/output-folder.ts";
import { plainText, shellWord } from "../output/page.ts";

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
  const store = await openAddress(address, tenantId === null ? {} : { tenantId });
  try {
    return await work(store, address);
  } finally {
    await store.close();
  }
}

/** The SQLSTATE of a database that does not exist. */
const NO_DATABASE = "3D000";

/**
 * Opens the store at an address; a file that does not exist is created.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE` that names a database which does not exist, and what opening throws.
 */
export async function openAddress(address: string, options: OpenStoreOptions = {}): Promise<ThreadfoldStore> {
  try {
    return await openStore(address, options);
  } catch (cause) {
    if (!ThreadfoldError.isInstance(cause) || cause.details["sqlState"] !== NO_DATABASE) throw cause;
    throw new ThreadfoldError("STORE_UNAVAILABLE", `There is no database ${addressName(address)}.`, {
      hint: "Create it first, for example with createdb, or name another one with --store or THREADFOLD_STORE.",
      details: cause.details,
      cause,
    });
  }
}

/** Checks that there is a store, as opening one would make it. @throws ThreadfoldError `STORE_UNAVAILABLE`. */
export function requireStore(address: string): void {
  // A server reports a missing store itself, and opening one of an unknown kind says which are known; only opening a
  // file would create one.
  if (isServerAddress(address)) return;
  const path = address.replace(/^sqlite:(\/\/)?/, "");
  const stats = fileStats(path);
  if (stats !== undefined && (!stats.isFile() || stats.size > 0)) return;
  const what = stats === undefined ? "There is no store" : "There is nothing in the store";
  throw new ThreadfoldError("STORE_UNAVAILABLE", `${what} ${path}.`, {
    hint: "Name one with --store or THREADFOLD_STORE, or make one with: threadfold import <file> --store <file>",
    details: { path },
  });
}

/** Returns undefined when there is no such file. @throws ThreadfoldError `STORE_UNAVAILABLE`. */
function fileStats(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The store ${path} cannot be opened: ${fileProblem(cause)}.`, {
      hint: "Check that the path is right and that you may read it.",
      details: { path },
      cause,
    });
  }
}

/** Replaces the address of a server, which may contain a password. */
const FROM_ENVIRONMENT = '"$THREADFOLD_STORE"';

/** Checks whether an address names a server, of whatever kind, and not a file. */
export const isServerAddress = (address: string): boolean => /^(?!sqlite:)[a-z][a-z0-9+.-]*:\/\//i.test(address);

/** Returns the address of a store as a word of a command that others may see: without passwords. */
export const addressWord = (address: string): string =>
  isServerAddress(address) ? FROM_ENVIRONMENT : shellWord(address);

/** Returns the address of a store as a text that others may see: of a server's, host and database. */
export const addressName = (address: string): string =>
  plainText(isServerAddress(address) ? serverName(address) : address);

/** Returns the name of a server and its database, without passwords and other parameters. */
export function serverName(address: string): string {
  if (!URL.canParse(address)) return "a server";
  const { protocol, hostname, pathname } = new URL(address);
  // A password with a slash that was not escaped ends up in the path.
  return pathname.includes("@") ? "a server" : `${protocol}//${hostname}${pathname}`;
}
