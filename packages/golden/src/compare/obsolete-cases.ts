import { readdir } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import { COMMON_FILES } from "../render/golden-files.ts";
import { changeGoldenFolder, readGoldenFolder } from "./golden-folder.ts";

/**
 * The folders below a root that hold a golden prompt which nobody asked for, relative to the root with forward slashes.
 *
 * @param used folders that were compared.
 * @throws ThreadfoldError `UNREADABLE_SOURCE`.
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
 * Removes the golden files of such folders, and the folders when nothing else is in them.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE`, `OUTPUT_UNWRITABLE`.
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
