// Measures how much of the packages that must not lose anything the tests reach (R35), and fails below what
// docs/reliability.md promises: 95 of 100 lines and 90 of 100 branches of each package. A line counts if the tests of
// any of these packages reach it. `npm run test:coverage -- core turn` measures some of the packages, by their own
// tests only.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { writeReport } from "../test-report.mjs";
import { root } from "../workspaces.mjs";

/** The measured packages, in the order of the arrows, as in ARCHITECTURE.md. */
const PACKAGES = ["core", "strategies", "summarizers", "renderer", "rehydration", "stores", "turn", "session"];

const LEAST = { lines: 95, branches: 90 };
/** Number of a package's least covered files that are listed, for whoever writes the missing tests. */
const NAMED_FILES = 5;

/** Adds up the files of each package in a summary from istanbul: `{ name, lines, branches, files }`. */
export function coverageByPackage(summary, names, from = root) {
  return names.map((name) => {
    const folder = join(from, "packages", name, "src") + sep;
    const files = Object.entries(summary)
      .filter(([file]) => file.startsWith(folder))
      .map(([file, counts]) => ({ file: file.slice(folder.length), counts }));
    const total = (of) => percent(files.map(({ counts }) => counts[of]));
    return { name, lines: total("lines"), branches: total("branches"), files };
  });
}

/**
 * Returns the covered percentage, truncated and not rounded, so that a figure never looks like the promise it misses.
 */
function percent(counts) {
  const sum = (key) => counts.reduce((all, count) => all + count[key], 0);
  return sum("total") === 0 ? 0 : Math.floor((10_000 * sum("covered")) / sum("total")) / 100;
}

/** Describes what misses the promise, with the files that miss most of it. */
export function coverageProblems({ name, lines, branches, files }) {
  const missed = ({ counts }) =>
    counts.lines.total - counts.lines.covered + counts.branches.total - counts.branches.covered;
  const worst = files.toSorted((a, b) => missed(b) - missed(a)).slice(0, NAMED_FILES);
  return Object.entries({ lines, branches })
    .filter(([of, value]) => value < LEAST[of])
    .map(
      ([of, value]) =>
        `${name}: ${value} % of ${of} but must be at least ${LEAST[of]} %; most of what is missing is in ${worst.map(({ file }) => file).join(", ")}`,
    );
}

/** Returns the result of a package as a test with the id of the claim. */
export function coverageTest(covered, seconds) {
  const { name, lines, branches, files } = covered;
  return {
    ancestorTitles: ["R35"],
    title: `R35 the tests reach the lines and branches of ${name}`,
    status: coverageProblems(covered).length === 0 ? "passed" : "failed",
    duration: seconds * 1_000,
    meta: { figures: { package: name, files: files.length, "lines, %": lines, "branches, %": branches } },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  const strange = asked.filter((name) => !PACKAGES.includes(name));
  if (strange.length > 0) {
    console.error(`Not measured: ${strange.join(" ")}. Choose from ${PACKAGES.join(", ")}.`);
    process.exitCode = 2;
  } else process.exitCode = measure(asked.length > 0 ? PACKAGES.filter((name) => asked.includes(name)) : PACKAGES);
}

function measure(names) {
  const started = Date.now();
  const place = join("scripts", "line-coverage");
  const summaryFile = join(root, place, ".cache", "coverage-summary.json");
  rmSync(summaryFile, { force: true });
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const config = join(root, place, "vitest.config.ts");
  const { status } = spawnSync(process.execPath, [vitest, "run", "--root", root, "--config", config], {
    cwd: root,
    // Random tries repeated as often as in a daily run reach the same code as twenty times as many.
    env: { ...process.env, THREADFOLD_PROPERTY_SCALE: "1", THREADFOLD_COVERED_PACKAGES: names.join(" ") },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (!existsSync(summaryFile)) {
    console.error("The run ended without a coverage summary.");
    return 1;
  }
  const packages = coverageByPackage(JSON.parse(readFileSync(summaryFile, "utf8")), names);
  const seconds = (Date.now() - started) / 1_000 / names.length;
  writeReport(
    root,
    place,
    started,
    packages.map((covered) => coverageTest(covered, seconds)),
  );
  for (const { name, lines, branches } of packages)
    console.log(
      `${name.padEnd(14)}${lines.toFixed(2).padStart(8)} % of lines${branches.toFixed(2).padStart(8)} % of branches`,
    );
  const problems = packages.flatMap(coverageProblems);
  for (const problem of problems) console.error(problem);
  return status === 0 && problems.length === 0 ? 0 : 1;
}
