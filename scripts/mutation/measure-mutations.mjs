// Changes the code of core and of the packages that make up a turn, one place at a time, and checks whether a test
// notices (R34). Stryker makes the changes and runs the tests that reach them; `--sample 200 --seed 1` sets how many
// changes and which, `--package turn` selects the changes in one package, `--workers 2` sets how many run in parallel.
// Every change that no test notices is printed with its place. The tests are those of the changed package, and those
// that exercise all packages together: a session's, and the golden prompts. They run in a copy of the repository.
// Properties are tried a tenth as often as in a daily run, so that a score is a lower bound for the daily tests, and
// always on the same inputs, which the seed also determines, so that one seed has one score.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeReport } from "../test-report.mjs";
import { readWorkspaces, root } from "../workspaces.mjs";
import { keyOf, mutantsOf, placeOf, sampleOf } from "./sample.mjs";

const PACKAGES = ["core", "strategies", "renderer", "turn"];
const LEAST_SCORE = 85;
/** Fraction of the daily runs of each property. A change that is noticed at all is noticed within few of them. */
const PROPERTY_SCALE = "0.1";
/** Limit for changes that never end. On a busy machine a test takes several times as long as alone. */
const HANG_MS = 20_000;
const HANG_FACTOR = 4;
const NOTICED = ["Killed", "Timeout"];
const UNNOTICED = ["Survived", "NoCoverage"];
const COPIED = ["packages", "apps", "examples", "package.json", "tsconfig.base.json", "vitest.base.ts"];
const NOT_COPIED = new Set(["node_modules", "dist", ".cache", ".turbo"]);

/**
 * Returns the results of a package's part of the sample, from Stryker's report: the number of changes that were
 * noticed, and a line for each that was not. `static` are changes to code that runs once when a file is loaded, for
 * which every test of the package would have to run; they are counted and not tried. Stryker's report contains them
 * whether they are in the sample or not, so their number is what remains of the number of changes that were `chosen`.
 */
export function outcomesOf(report, name, chosen) {
  const mutants = Object.entries(report.files).flatMap(([file, { source, mutants: found }]) =>
    found.map((mutant) => ({ ...mutant, file: `packages/${name}/${file}`, source })),
  );
  const having = (...statuses) => mutants.filter(({ status }) => statuses.includes(status));
  const [noticed, errors] = [having(...NOTICED).length, having("RuntimeError").length];
  const survivors = having(...UNNOTICED)
    .map(inOneLine)
    .sort();
  return { noticed, static: chosen - noticed - errors - survivors.length, errors, survivors };
}

function inOneLine({ file, source, location, status, mutatorName, replacement }) {
  const { start, end } = location;
  const lines = source.split("\n").slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  const short = (text) => text.replaceAll(/\s+/g, " ").slice(0, 100);
  const reached = status === "NoCoverage" ? " (no test of the package reaches it)" : "";
  return `${file}:${start.line}:${start.column} ${mutatorName}: ${short(lines.join("\n"))} → ${short(replacement)}${reached}`;
}

/** Returns the percentage of tried changes that were noticed, truncated and not rounded; 0 if none was tried. */
export const scoreOf = ({ noticed, survivors }) =>
  noticed + survivors.length === 0 ? 0 : Math.floor((10_000 * noticed) / (noticed + survivors.length)) / 100;

/** Copies the repository, with packages that resolve to each other's copies: Stryker changes files in place. */
function copyHouse(target) {
  for (const name of COPIED)
    cpSync(join(root, name), join(target, name), {
      recursive: true,
      filter: (path) => !NOT_COPIED.has(basename(path)),
    });
  const ours = new Map(readWorkspaces(root).map(({ path, manifest }) => [manifest.name, path]));
  const linkAll = (from, to, prefix = "") => {
    mkdirSync(to, { recursive: true });
    for (const entry of readdirSync(from)) {
      const name = `${prefix}${entry}`;
      if (name.startsWith("@") && prefix === "") linkAll(join(from, entry), join(to, entry), `${entry}/`);
      else symlinkSync(ours.has(name) ? join(target, ours.get(name)) : join(from, entry), join(to, entry));
    }
  };
  linkAll(join(root, "node_modules"), join(target, "node_modules"));
  for (const path of ours.values()) {
    const own = join(root, path, "node_modules");
    if (existsSync(own)) linkAll(own, join(target, path, "node_modules"));
  }
}

/** The setup file of the copy's tests: properties take their inputs from this seed. */
const SETUP = "mutation-setup.mjs";
const setupOf = (seed) => `import fc from "fast-check";\nfc.configureGlobal({ seed: ${seed} });\n`;

/**
 * Tests of other packages that exercise all packages together, except those that start processes or wait for servers: a
 * process starts from source, and Node.js cannot strip the types of everything that Stryker writes into it.
 */
const OF_THE_WHOLE = [
  "packages/session/src/!(reliability|worker)/**/*.test.ts",
  "apps/golden-tests/src/golden-prompts.test.ts",
];

/** The configuration of a package's tests, with the setup file. */
const TEST_CONFIG = "vitest.mutation.config.mjs";
const testConfigOf = (name) => `import { mergeConfig } from "vitest/config";
import own from "./vitest.config.ts";
const include = ${JSON.stringify([`packages/${name}/src/**/*.test.ts`, ...OF_THE_WHOLE])};
export default mergeConfig(own, { test: { include, setupFiles: ["./${SETUP}"] } });
`;

/** Tries a package's part of the sample in the copy. */
function tryPackage(house, name, sample, workers) {
  const folder = join(house, "packages", name);
  const keys = join(house, `${name}-sample.json`);
  const reportFile = join(house, `${name}-report.json`);
  writeFileSync(keys, JSON.stringify(sample.map(keyOf)));
  const config = {
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner", fileURLToPath(new URL("sample-checker.mjs", import.meta.url))],
    checkers: ["sample"],
    mutate: sample.map((mutant) => placeOf(mutant, join(root, "packages", name))),
    inPlace: true,
    disableTypeChecks: false,
    ignoreStatic: true,
    coverageAnalysis: "perTest",
    concurrency: workers,
    timeoutMS: HANG_MS,
    timeoutFactor: HANG_FACTOR,
    dryRunTimeoutMinutes: 60,
    reporters: ["progress-append-only", "json"],
    jsonReporter: { fileName: reportFile },
    vitest: { configFile: TEST_CONFIG, dir: house, related: false },
    allowEmpty: true,
  };
  writeFileSync(join(folder, TEST_CONFIG), testConfigOf(name));
  const configFile = join(folder, "stryker.config.json");
  writeFileSync(configFile, JSON.stringify(config));
  const stryker = join(house, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
  const { status } = spawnSync(process.execPath, [stryker, "run", configFile], {
    cwd: folder,
    env: { ...process.env, THREADFOLD_PROPERTY_SCALE: PROPERTY_SCALE, THREADFOLD_MUTATION_SAMPLE: keys },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (existsSync(reportFile)) return outcomesOf(JSON.parse(readFileSync(reportFile, "utf8")), name, sample.length);
  console.error(`Stryker wrote no report for ${name} and exited with ${status}: none of its changes was tried.`);
  return { isUntried: true, noticed: 0, static: 0, errors: sample.length, survivors: [] };
}

async function measure({ names, size, seed, workers }) {
  const started = Date.now();
  const all = (await Promise.all(names.map((name) => mutantsOf(join(root, "packages", name))))).flat();
  const sample = sampleOf(all, size, seed);
  console.log(`${sample.length} of ${all.length} changes, seed ${seed}`);
  const house = mkdtempSync(join(tmpdir(), "threadfold-mutation-"));
  try {
    copyHouse(house);
    writeFileSync(join(house, SETUP), setupOf(seed));
    const outcomes = names.map((name) => {
      const began = Date.now();
      const part = sample.filter(({ fileName }) => fileName.startsWith(join(root, "packages", name, "src")));
      if (part.length === 0) return undefined;
      return { name, tried: part.length, ...tryPackage(house, name, part, workers), ms: Date.now() - began };
    });
    const found = outcomes.filter((outcome) => outcome !== undefined);
    const total = { noticed: sum(found, "noticed"), survivors: found.flatMap(({ survivors }) => survivors) };
    const score = scoreOf(total);
    const isEnough = score >= LEAST_SCORE && !found.some(({ isUntried }) => isUntried);
    const figures = {
      packages: found.map(({ name }) => name).join(" "),
      seed,
      changes: all.length,
      sample: sample.length,
      noticed: total.noticed,
      unnoticed: total.survivors.length,
      "static, not tried": sum(found, "static"),
      "without a result": sum(found, "errors"),
      "score, %": score,
    };
    writeReport(root, join("scripts", "mutation"), started, [
      {
        ancestorTitles: ["R34"],
        title: `R34 a test notices ${LEAST_SCORE} of 100 changes of the code`,
        status: isEnough ? "passed" : "failed",
        duration: Date.now() - started,
        meta: { figures },
      },
    ]);
    for (const line of total.survivors) console.log(line);
    for (const outcome of found)
      console.log(`${outcome.name.padEnd(14)}${String(scoreOf(outcome)).padStart(7)} % of ${outcome.tried}`);
    console.log(
      Object.entries(figures)
        .map(([name, value]) => `${name} ${value}`)
        .join(", "),
    );
    return isEnough ? 0 : 1;
  } finally {
    rmSync(house, { recursive: true, force: true });
  }
}

const sum = (parts, key) => parts.reduce((all, part) => all + part[key], 0);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      sample: { type: "string", default: "200" },
      seed: { type: "string", default: "1" },
      workers: { type: "string", default: "2" },
      package: { type: "string", multiple: true, default: PACKAGES },
    },
  });
  const [size, seed, workers] = [values.sample, values.seed, values.workers].map(Number);
  const strange = values.package.filter((name) => !PACKAGES.includes(name));
  if (strange.length > 0 || ![size, seed, workers].every((value) => Number.isSafeInteger(value) && value > 0)) {
    console.error(`Give whole numbers above zero, and packages from ${PACKAGES.join(", ")}.`);
    process.exitCode = 2;
  } else
    process.exitCode = await measure({
      names: PACKAGES.filter((name) => values.package.includes(name)),
      size,
      seed,
      workers,
    });
}
