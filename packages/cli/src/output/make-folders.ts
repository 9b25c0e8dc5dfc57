import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder with all that is missing above it, and gives the topmost one that had to be made, if any. Node's own
 * recursive `mkdirSync` never returns where a folder says that it does not exist although its parent does, as under
 * `/proc`; here every folder is tried once,
 * and what was made goes again when one cannot be.
 *
 * @throws what the file system throws.
 */
export function makeFolders(path: string): string | undefined {
  const missing: string[] = [];
  for (let above = resolve(path); statSync(above, { throwIfNoEntry: false }) === undefined; above = dirname(above)) {
    missing.push(above);
  }
  const made: string[] = [];
  try {
    for (const wanted of missing.toReversed()) {
      mkdirSync(wanted);
      made.unshift(wanted);
    }
  } catch (cause) {
    for (const folder of made) rmdirSync(folder);
    throw cause;
  }
  return missing.at(-1);
}
