// Selects the mutants that a run tries: a sample determined by seed and size, the same on every machine.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { commonTokens } from "@stryker-mutator/api/plugin";
import { createInstrumenter } from "@stryker-mutator/instrumenter";
import { createInjector } from "typed-inject";

/** Files that are not sources to mutate: tests, files that only tests use, and entries, which are lists of names. */
const NO_SOURCE = /\.(?:test|process|d)\.ts$|(?:^|\/)index\.ts$|\/(?:testing|laws|reliability|fixtures)\//;

const says = () => undefined;
const SILENT = Object.fromEntries(
  ["trace", "debug", "info", "warn", "error", "fatal"]
    .map((level) => [level, says])
    .concat([["isDebugEnabled", () => false]]),
);

/** Returns every mutant of a package's sources, as made by Stryker. */
export async function mutantsOf(folder) {
  const injector = createInjector().provideValue(commonTokens.logger, SILENT);
  try {
    const files = globSync("src/**/*.ts", { cwd: folder })
      .sort()
      .filter((path) => !NO_SOURCE.test(path))
      .map((path) => ({ name: join(folder, path), mutate: true, content: readFileSync(join(folder, path), "utf8") }));
    const options = { plugins: null, excludedMutations: [], ignorers: [], noHeader: true };
    const { mutants } = await injector.injectFunction(createInstrumenter).instrument(files, options);
    return mutants;
  } finally {
    await injector.dispose();
  }
}

/** Returns the key of a mutant, independent of where the repository is. */
export function keyOf({ fileName, location: { start, end }, mutatorName, replacement }) {
  const path = fileName.replaceAll("\\", "/").replace(/^.*\/(?=packages\/[^/]+\/src\/)/, "");
  return [path, start.line, start.column, end.line, end.column, mutatorName, replacement].join(":");
}

/**
 * Returns the place of a mutant in the syntax of Stryker's `mutate`: with only the places, the rest of a file runs at
 * full speed. A place also includes the mutants inside it.
 */
export function placeOf({ fileName, location: { start, end } }, folder) {
  const path = relative(folder, fileName).replaceAll("\\", "/");
  return `${path}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;
}

/** Returns `size` of the mutants, ordered by their digests under the seed: each is as likely as any other. */
export function sampleOf(mutants, size, seed) {
  const digest = (mutant) =>
    createHash("sha256")
      .update(`${seed}:${keyOf(mutant)}`)
      .digest("hex");
  return mutants
    .map((mutant) => ({ mutant, place: digest(mutant) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}
