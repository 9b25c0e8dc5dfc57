// Figures of the code base: the number of files, their length, the number of names in the main entry, and the imports
// that go against the order. Each figure has a limit: exceeding it fails the check until the limit is changed by hand.
// `npm run house` prints the figures, `npm run house -- --json` prints them as one line.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkTree } from "./arrows/check-tree.mjs";
import { readTree } from "./arrows/read-tree.mjs";

const DOOR = "packages/threadfold/src/index.ts";
/** Tests, and files that only the tests, laws and measurements of a package use. */
const BESIDE = /\.(?:test|process)\.tsx?$|\.config\.ts$|\/(?:testing|bundling|laws|reliability|fixtures|examples)\//;
const LIMITS = { files: 860, maxLines: 350, publicNames: 90, upArrows: 0, cycles: 0 };
const LEAST = { medianLines: 80 };

/** Counts the figures of the libraries: sources under `packages`, without tests and laws. */
export function houseFigures(root) {
  const packages = readTree(root);
  const lengths = packages
    .filter(({ kind }) => kind === "packages")
    .flatMap(({ files }) => files.map(({ path }) => path))
    .filter((path) => /^packages\/[^/]+\/src\//.test(path) && !BESIDE.test(path))
    .map((path) => ({ path, lines: lineCount(readFileSync(join(root, path), "utf8")) }))
    .sort((a, b) => a.lines - b.lines);
  // An entry is a list of names: its length reflects how many there are, which is counted separately.
  const rooms = lengths.filter(({ path }) => !/\/index\.ts$/.test(path));
  const broken = checkTree(root);
  return {
    files: lengths.length,
    medianLines: lengths[Math.floor(lengths.length / 2)]?.lines ?? 0,
    maxLines: rooms.at(-1)?.lines ?? 0,
    longest: rooms.at(-1)?.path ?? "",
    publicNames: exportedNames(readFileSync(join(root, DOOR), "utf8")),
    upArrows: broken.filter(({ rule }) => rule === "order" || rule === "packages").length,
    cycles: broken.filter(({ rule }) => rule === "cycles").length,
  };
}

/** Returns the number of names that an entry lists. One with `export *` lists none by hand, which no limit allows. */
function exportedNames(source) {
  if (/^export \* /m.test(source)) return Number.POSITIVE_INFINITY;
  return [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
    .flatMap(([, names]) => names.split(","))
    .filter((name) => name.trim() !== "").length;
}

const lineCount = (text) => text.split("\n").length - 1;

/** Describes the figures that exceed their limits. */
export function pastLimits(figures) {
  const over = Object.entries(LIMITS).filter(([name, limit]) => figures[name] > limit);
  const under = Object.entries(LEAST).filter(([name, limit]) => figures[name] < limit);
  return [
    ...over.map(([name, limit]) => `${name} is ${figures[name]} but may be at most ${limit}`),
    ...under.map(([name, limit]) => `${name} is ${figures[name]} but must be at least ${limit}`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const figures = houseFigures(fileURLToPath(new URL("..", import.meta.url)));
  const { longest, ...counted } = figures;
  if (process.argv.includes("--json")) console.log(JSON.stringify(counted));
  else {
    for (const [name, value] of Object.entries(counted)) console.log(`${name.padEnd(12)} ${value}`);
    console.log(`The longest file is ${longest}.`);
  }
  const past = pastLimits(figures);
  for (const line of past) console.error(`House: ${line}.`);
  process.exitCode = past.length === 0 ? 0 : 1;
}
