import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import { SCHEMA_VERSION } from "./schema.ts";
import { APPLICATION_ID, HEADER_BYTES, readSqliteHeader } from "./sqlite-header.ts";

/**
 * Makes sure that a path may be opened as a store, and only looks: nothing is written, created or locked.
 *
 * @throws ThreadfoldError `STORE_FOREIGN` for a file of another program or of a newer version, `STORE_UNAVAILABLE` when
 * the path is no file that may be read and written, or its folder is not there.
 */
export function inspectPath(path: string): void {
  const stats = attempt(path, () => statSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) return requireFolder(dirname(path), path);
  requireWritableFile(path, stats);
  const header = readSqliteHeader(attempt(path, () => firstBytes(path)));
  if (header.kind === "empty") return;
  if (header.kind === "other") throw foreign(path, "it is no SQLite database");
  if (header.applicationId === APPLICATION_ID) return requireKnownVersion(path, header.userVersion);
  if (header.applicationId !== 0) throw foreign(path, "it is the database of another program");
  if (header.hasTables || hasUnfinishedLog(path))
    throw foreign(path, "it is a database with tables of another program");
}

/** @throws ThreadfoldError `STORE_FOREIGN` when a newer Threadfold wrote the store. */
export function requireKnownVersion(path: string, userVersion: number): void {
  if (userVersion >= 1 && userVersion <= SCHEMA_VERSION) return;
  const reason =
    userVersion > SCHEMA_VERSION
      ? `a newer Threadfold wrote it (schema ${userVersion}; this one knows up to ${SCHEMA_VERSION})`
      : `its schema version ${userVersion} is none of Threadfold's`;
  throw foreign(path, reason);
}

/** The error for a file that is left as it is. */
export function foreign(path: string, reason: string): ThreadfoldError {
  return new ThreadfoldError("STORE_FOREIGN", `${path} is not opened: ${reason}.`, { details: { path } });
}

function requireFolder(folder: string, path: string): void {
  const stats = attempt(path, () => statSync(folder, { throwIfNoEntry: false }));
  if (stats?.isDirectory()) return;
  throw new ThreadfoldError("STORE_UNAVAILABLE", `The store ${path} cannot be created: there is no folder ${folder}.`, {
    hint: "Create the folder first, or name another path.",
    details: { path },
  });
}

function requireWritableFile(path: string, stats: Stats): void {
  if (!stats.isFile()) {
    const kind = stats.isDirectory() ? "a folder" : "no regular file";
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The store ${path} cannot be opened: it is ${kind}.`, {
      hint: "Name a file.",
      details: { path },
    });
  }
  attempt(path, () => accessSync(path, constants.R_OK | constants.W_OK));
}

function firstBytes(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(HEADER_BYTES);
    return buffer.subarray(0, readSync(file, buffer, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** A log beside the file may hold tables that the file itself does not show yet. */
function hasUnfinishedLog(path: string): boolean {
  return ["-wal", "-journal"].some((suffix) => (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause);
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The store ${path} cannot be opened: ${reason}.`, {
      cause,
      details: { path },
    });
  }
}
