import { mkdtempSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import { makeFolders } from "./make-folders.ts";

/**
 * A folder that gets all of its files or none. Files are written beside their place and renamed once all of them are
 * complete; what is interrupted before leaves no trace, also not the folder itself when it was made for this.
 */
export class OutputFolder {
  readonly path: string;
  readonly #staging: string;
  /** The topmost folder that had to be made, if any. */
  readonly #made: string | undefined;
  #delivered = false;

  private constructor(path: string, staging: string, made: string | undefined) {
    this.path = path;
    this.#staging = staging;
    this.#made = made;
  }

  /** Makes the folder and proves that it can be written to. @throws ThreadfoldError `OUTPUT_UNWRITABLE`. */
  static open(path: string): OutputFolder {
    let made: string | undefined;
    try {
      made = makeFolders(path);
      return new OutputFolder(path, mkdtempSync(join(path, ".threadfold-")), made);
    } catch (cause) {
      if (made !== undefined) removeEmptyFolders(path, made);
      throw unwritable(path, cause);
    }
  }

  /** Writes the files and puts them in their places. @throws ThreadfoldError `OUTPUT_UNWRITABLE`. */
  deliver(files: Readonly<Record<string, string>>): void {
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(this.#staging, name), text);
      // Nothing can come between the renames: they are synchronous, and signals wait for the event loop.
      for (const name of Object.keys(files)) renameSync(join(this.#staging, name), join(this.path, name));
      this.#delivered = true;
    } catch (cause) {
      throw unwritable(this.path, cause);
    }
  }

  /** Takes away what was prepared. Call it in any case; after a delivery only the empty staging folder goes. */
  close(): void {
    rmSync(this.#staging, { recursive: true, force: true });
    if (!this.#delivered && this.#made !== undefined) removeEmptyFolders(this.path, this.#made);
  }
}

/** Writes a file completely or not at all. @throws ThreadfoldError `OUTPUT_UNWRITABLE`. */
export function writeWholeFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    writeFileSync(unfinished, text, { flag: "wx" });
    renameSync(unfinished, path);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw unwritable(path, cause);
  }
}

function removeEmptyFolders(from: string, to: string): void {
  try {
    for (let path = resolve(from); path.length >= resolve(to).length; path = dirname(path)) rmdirSync(path);
  } catch {
    // Somebody put something there meanwhile: then it is theirs.
  }
}

function unwritable(path: string, cause: unknown): ThreadfoldError {
  const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new ThreadfoldError("OUTPUT_UNWRITABLE", `${path} cannot be written: ${reason}.`, {
    cause,
    details: { path },
  });
}
