import { ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
import { createMemoryStore } from "./memory/memory-store.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { StoreOptions } from "./store-options.ts";

/**
 * Opens a store by its address: `memory:` for one that lives in this process, `sqlite:PATH` or a bare path for a SQLite
 * file. `sqlite:///folder/file` is read as an absolute path.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an address of another kind, and what the backend throws.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<ThreadfoldStore> {
  if (url === "memory:") return createMemoryStore(options);
  return openSqliteStore(sqlitePath(url), options);
}

function sqlitePath(url: string): string {
  const isSqlite = url.startsWith("sqlite:");
  const path = isSqlite ? url.slice("sqlite:".length).replace(/^\/\//, "") : url;
  if (path !== "" && (isSqlite || !/^(memory:|[a-z][a-z0-9+.-]*:\/\/)/i.test(url))) return path;
  // An address may hold a password, so no more than its scheme is repeated.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? "(empty)";
  throw new ThreadfoldError("INVALID_CONFIG", `A store cannot be opened by an address of the kind ${scheme}`, {
    hint: "Give memory:, sqlite:PATH or the path of a file.",
  });
}
