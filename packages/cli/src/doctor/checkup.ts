import { ThreadfoldError } from "@threadfold/core";

/** The result of one check. `missing` is for what is optional and not there. */
export type CheckStatus = "ok" | "warning" | "failed" | "missing";

/** The result of one check, as a line of the report. */
export interface Checkup {
  /** Stable name, such as `store.fsync`. */
  readonly name: string;
  readonly status: CheckStatus;
  /** What was found, without addresses, passwords or content. */
  readonly found: string;
  /** What to do about it; empty when there is nothing to do. */
  readonly hint: string;
}

/** A finding as a line of the report. */
export const checkup = (name: string, status: CheckStatus, found: string, hint = ""): Checkup => ({
  name,
  status,
  found,
  hint,
});

/** What to do about errors of the system, by their code. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "Give this user the right to write there, or name another place."],
  ["EPERM", "Give this user the right to write there, or name another place."],
  ["EROFS", "The file system is read-only: name another place."],
  ["ENOSPC", "Make room on the disk."],
]);

/** Does a check that may fail: what it throws becomes a failed check of that name. */
export async function attempted(name: string, work: () => Promise<readonly Checkup[]>): Promise<readonly Checkup[]> {
  try {
    return await work();
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) return [checkup(name, "failed", error.message, error.hint ?? "")];
    const { code } = error as NodeJS.ErrnoException;
    // The words of other errors may quote addresses or rows.
    return [checkup(name, "failed", `it failed (${code ?? "no code"})`, HINTS.get(code ?? "") ?? "")];
  }
}
