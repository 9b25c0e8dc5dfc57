import {
  accessSync,
  constants,
  createWriteStream,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ThreadfoldError } from "@threadfold/core";
import { makeFolders } from "@threadfold/stores";

/**
 * A folder that receives either all of its files or none. Files are written to a staging folder inside it and renamed
 * once all are complete; an earlier interruption leaves no trace, and the folder itself is removed if it was created
 * for this.
 */
export class OutputFolder {
  readonly path: string;
  readonly #staging: string;
  /** The topmost folder that had to be created, if any. */
  readonly #made: string | undefined;
  #delivered = false;

  private constructor(path: string, staging: string, made: string | undefined) {
    this.path = path;
    this.#staging = staging;
    this.#made = made;
  }

  /** Creates the folder and verifies that it is writable. @throws ThreadfoldError `OUTPUT_UNWRITABLE`. */
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

  /** Writes the files and moves them into place. @throws ThreadfoldError `OUTPUT_UNWRITABLE`. */
  deliver(files: Readonly<Record<string, string>>): void {
    for (const name of Object.keys(files)) refuseFolder(join(this.path, name));
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(this.#staging, name), text);
      // Nothing can happen between the renames: they are synchronous, and signals wait for the event loop.
      for (const name of Object.keys(files)) renameSync(join(this.#staging, name), join(this.path, name));
      this.#delivered = true;
    } catch (cause) {
      throw unwritable(this.path, cause);
    }
  }

  /** Removes what was prepared. Always call it; after a delivery it removes only the empty staging folder. */
  close(): void {
    rmSync(this.#staging, { recursive: true, force: true });
    if (!this.#delivered && this.#made !== undefined) removeEmptyFolders(this.path, this.#made);
  }
}

/** Writes a file completely or not at all. @throws ThreadfoldError `OUTPUT_UNWRITABLE`. */
export function writeWholeFile(path: string, text: string): void {
  const unfinished = unfinishedName(path);
  try {
    if (isSpecial(path)) return writeFileSync(path, text, { flag: "a" });
    writeFileSync(unfinished, text, { flag: "wx" });
    renameSync(unfinished, path);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw unwritable(path, cause);
  }
}

const unfinishedName = (path: string): string => `${path}.${process.pid}.unfinished`;

/** Names of what a process has open, which may be a file. */
const OPEN_FILE = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/;

/** Checks for a pipe or a device, such as /dev/stdout: renaming a file to its name would replace it. */
function isSpecial(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return false;
  return !stats.isFile() || OPEN_FILE.test(resolve(path));
}

/** @throws ThreadfoldError `OUTPUT_UNWRITABLE` when there is a folder of that name. */
function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new ThreadfoldError("OUTPUT_UNWRITABLE", `${path} is a folder; name a file.`);
}

function removeEmptyFolders(from: string, to: string): void {
  try {
    for (let path = resolve(from); path.length >= resolve(to).length; path = dirname(path)) rmdirSync(path);
  } catch {
    // Another process has put something there in the meantime; leave it alone.
  }
}

/** What the codes of the operating system mean. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file or folder"],
  ["ENAMETOOLONG", "its name is too long"],
  ["ENOTDIR", "what should be a folder is a file"],
  ["EISDIR", "it is a folder"],
  ["EACCES", "permission is denied"],
  ["EPERM", "permission is denied"],
  ["EROFS", "its file system is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota is used up"],
]);

/** Returns what is wrong with a file, in words and with the operating system's code, from what using it threw. */
export function fileProblem(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined) return String(cause);
  const words = PROBLEMS.get(code);
  return words === undefined ? code : `${words} (${code})`;
}

function unwritable(path: string, cause: unknown): ThreadfoldError {
  return new ThreadfoldError("OUTPUT_UNWRITABLE", `${path} cannot be written: ${fileProblem(cause)}.`, {
    cause,
    details: { path },
  });
}

/**
 * Writes a file from texts as they are produced, completely or not at all: the file gets its name once it is complete.
 * Returns the number of texts.
 *
 * @throws ThreadfoldError `OUTPUT_UNWRITABLE`, and what producing the texts throws.
 */
export async function streamWholeFile(path: string, texts: AsyncIterable<string>): Promise<number> {
  const made = new CountedTexts(texts);
  const unfinished = unfinishedName(path);
  try {
    const isWhole = !isSpecial(path);
    const file = isWhole ? createWriteStream(unfinished, { flags: "wx" }) : createWriteStream(path, { flags: "a" });
    await pipeline(Readable.from(made.all()), file);
    if (isWhole) renameSync(unfinished, path);
    return made.count;
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw made.failed ? cause : unwritable(path, cause);
  }
}

/** Counts texts, and tells whether an error came from producing them. */
class CountedTexts {
  count = 0;
  failed = false;
  readonly #texts: AsyncIterator<string>;

  constructor(texts: AsyncIterable<string>) {
    this.#texts = texts[Symbol.asyncIterator]();
  }

  async *all(): AsyncIterable<string> {
    try {
      // What the file's stream throws arrives at the yield, and a loop over the texts would not tell it apart.
      for (let next = await this.#next(); next.done !== true; next = await this.#next()) {
        this.count++;
        yield next.value;
      }
    } finally {
      await this.#texts.return?.();
    }
  }

  async #next(): Promise<IteratorResult<string>> {
    try {
      return await this.#texts.next();
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}

/**
 * Checks that a file can be written, before long work whose result it will hold. @throws ThreadfoldError
 * `OUTPUT_UNWRITABLE`.
 */
export function proveWritable(path: string): void {
  try {
    accessSync(isSpecial(path) ? path : dirname(resolve(path)), constants.W_OK);
  } catch (cause) {
    throw new ThreadfoldError("OUTPUT_UNWRITABLE", `The folder of ${path} does not exist or cannot be written to.`, {
      cause,
    });
  }
  refuseFolder(path);
}
