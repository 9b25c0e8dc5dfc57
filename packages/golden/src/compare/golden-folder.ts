import { readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import { makeFolders } from "@threadfold/stores";
import { COMMON_FILES, GOLDEN_FILE_NAMES } from "../render/golden-files.ts";

/**
 * Reads the golden files in a folder, by name; none when the folder does not exist. Line endings become those of Unix,
 * because a checkout may have changed them.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE` when a file cannot be read.
 */
export async function readGoldenFolder(folder: string): Promise<ReadonlyMap<string, string>> {
  try {
    const names = (await namesIn(folder)).filter((name) => GOLDEN_FILE_NAMES.includes(name)).sort();
    const texts = names.map(async (name): Promise<[string, string]> => {
      return [name, (await readFile(join(folder, name), "utf8")).replaceAll("\r\n", "\n")];
    });
    return new Map(await Promise.all(texts));
  } catch (cause) {
    throw new ThreadfoldError("UNREADABLE_SOURCE", `The golden files in ${folder} cannot be read.`, { cause });
  }
}

/**
 * Writes and removes golden files. Creates the folder when there is something to write; removes it when left empty.
 *
 * @throws ThreadfoldError `OUTPUT_UNWRITABLE` when a file cannot be written or removed.
 */
export async function changeGoldenFolder(
  folder: string,
  written: ReadonlyMap<string, string>,
  removed: readonly string[],
): Promise<void> {
  try {
    if (written.size > 0) makeFolders(folder);
    for (const [name, text] of written) await writeFile(join(folder, name), text);
    for (const name of removed) await rm(join(folder, name));
    if (removed.length > 0 && (await namesIn(folder)).length === 0) await rmdir(folder);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new ThreadfoldError("OUTPUT_UNWRITABLE", `The golden files in ${folder} cannot be written: ${reason}.`, {
      cause,
    });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cause;
  }
}

/**
 * Returns the folders below a root whose golden prompt no test used, relative to the root and with forward slashes.
 *
 * @param used folders that were compared.
 * @throws ThreadfoldError `UNREADABLE_SOURCE` when the root cannot be read.
 */
export async function obsoleteGoldenPrompts(root: string, used: Iterable<string>): Promise<readonly string[]> {
  const known = new Set([...used].map((folder) => resolve(folder)));
  const found = (await entriesBelow(root))
    .filter((entry) => entry.isFile() && entry.name === COMMON_FILES.trace)
    .map((entry) => resolve(entry.parentPath));
  return found
    .filter((folder) => !known.has(folder))
    .map((folder) => relative(root, folder).split(sep).join("/"))
    .sort();
}

/**
 * Removes the golden files in the named folders below a root, and the folders themselves if nothing else is in them.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE` when a folder cannot be read, `OUTPUT_UNWRITABLE` when removing fails.
 */
export async function removeGoldenPrompts(root: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const folder = join(root, name);
    await changeGoldenFolder(folder, new Map(), [...(await readGoldenFolder(folder)).keys()]);
  }
}

async function entriesBelow(root: string) {
  try {
    return await readdir(root, { recursive: true, withFileTypes: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new ThreadfoldError("UNREADABLE_SOURCE", `The folder ${root} cannot be read.`, { cause });
  }
}
