import { ThreadfoldError } from "@threadfold/core";

/** The status of one check. `missing` means that something optional does not exist. */
export type CheckStatus = "ok" | "warning" | "failed" | "missing";

/** The result of one check, as a line of the report. */
export interface Checkup {
  /** Stable name, such as `store.fsync`. */
  readonly name: string;
  readonly status: CheckStatus;
  /** What was found, without addresses, passwords or content. */
  readonly found: string;
  /** What to do about it; empty when nothing needs to be done. */
  readonly hint: string;
}

/** Creates a line of the report. */
export const checkup = (name: string, status: CheckStatus, found: string, hint = ""): Checkup => ({
  name,
  status,
  found,
  hint,
});

/** What to do about errors of the system and of PostgreSQL, by code. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "Give this user write permission there, or name another place."],
  ["EPERM", "Give this user write permission there, or name another place."],
  ["EROFS", "The file system is read-only: name another place."],
  ["ENOSPC", "Free some space on the disk."],
  ["3D000", "There is no such database: create it, for example with createdb, or name another one."],
]);

const ANY_HINT = "Check the address, and that this user may read and write there.";

/** Runs a check that may fail; an error becomes a failed check of that name. */
export async function attempted(name: string, work: () => Promise<readonly Checkup[]>): Promise<readonly Checkup[]> {
  try {
    return await work();
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) return [checkup(name, "failed", error.message, error.hint ?? "")];
    const { code } = error as NodeJS.ErrnoException;
    // Messages of other errors may quote addresses or rows.
    return [checkup(name, "failed", `it failed (${code ?? "no code"})`, HINTS.get(code ?? "") ?? ANY_HINT)];
  }
}
