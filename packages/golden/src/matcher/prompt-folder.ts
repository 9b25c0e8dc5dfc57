import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { ThreadfoldError } from "@threadfold/core";

/** The folder beside a test file that holds its golden prompts, and those of its neighbours. */
export const GOLDENS_FOLDER = "__goldens__";

const NAME = /^\w[\w. -]*(?:\/\w[\w. -]*)*$/;

/** The folder of all golden prompts that a test file keeps by name. */
export const goldensOf = (testPath: string): string => join(dirname(testPath), GOLDENS_FOLDER, basename(testPath));

/**
 * The folder of a golden prompt: a name stands for a folder under `__goldens__/<test file>`, a path that begins with
 * `./`, `../` or a root for itself, seen from the test file.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for what is neither.
 */
export function promptFolder(nameOrPath: string, testPath: string): string {
  if (typeof nameOrPath === "string") {
    if (/^\.\.?[/\\]/.test(nameOrPath) || isAbsolute(nameOrPath)) return resolve(dirname(testPath), nameOrPath);
    if (NAME.test(nameOrPath)) return join(goldensOf(testPath), nameOrPath);
  }
  throw new ThreadfoldError("INVALID_CONFIG", `${JSON.stringify(nameOrPath)} names no golden prompt.`, {
    hint: "Give a name of letters, digits, spaces and . _ - with / between its parts, or a path that begins with ./ or ../.",
    details: { name: String(nameOrPath) },
  });
}
