// Which mutants a run tries: a sample by seed and size, the same on every machine.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { commonTokens } from "@stryker-mutator/api/plugin";
import { createInstrumenter } from "@stryker-mutator/instrumenter";
import { createInjector } from "typed-inject";

/** Sources of a package, without its tests, what serves them alone, and its door, which is a list of names. */
const NO_SOURCE = /\.(?:test|process|d)\.ts$|(?:^|\/)index\.ts$|\/(?:testing|laws|reliability|fixtures)\//;

const says = () => undefined;
const SILENT = Object.fromEntries(
  ["trace", "debug", "info", "warn", "error", "fatal"]
    .map((level) => [level, says])
    .concat([["isDebugEnabled", () => false]]),
);

/** Every mutant of a package's sources, as Stryker makes them. */
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

/** What a mutant is called wherever the repository lies. */
export function keyOf({ fileName, location: { start, end }, mutatorName, replacement }) {
  const path = fileName.replaceAll("\\", "/").replace(/^.*\/(?=packages\/[^/]+\/src\/)/, "");
  return [path, start.line, start.column, end.line, end.column, mutatorName, replacement].join(":");
}

/**
 * Where a mutant is, in the words of Stryker's `mutate`: with the places alone the rest of a file stays as fast as it is.
 * The place has the mutants of what is inside of it as well.
 */
export function placeOf({ fileName, location: { start, end } }, folder) {
  const path = relative(folder, fileName).replaceAll("\\", "/");
  return `${path}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;
}

/** As many of the mutants as asked for, by the order of their digests under the seed: each is as likely as any other. */
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
