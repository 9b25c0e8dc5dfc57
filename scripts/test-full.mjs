// The whole check with nothing left out: every recorded session, and everything random as often as a release requires.
// It takes hours, so it can be run in parts: `npm run test:full -- --list` lists them, each of which fits two hours,
// `npm run test:full -- crashes` runs one, and `npm run test:full -- R4 R9` runs the tests with one of these ids in
// their names. They run from source, and each prints its result and its counts. H1, every host from installed packages,
// packs what is built. R34 and R35 measure the tests themselves; no other run includes them. The results of the claims
// are kept in docs/full-run.json, which `npm run reliability` reads.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepFullRun } from "./full-run.mjs";
import { CLAIMS, figuresInWords } from "./reliability-report.mjs";
import { clearReports, readAssertions } from "./test-report.mjs";
import { readWorkspaces, root } from "./workspaces.mjs";

const VITEST = join(root, "node_modules", "vitest", "vitest.mjs");

/** The claims in parts that fit two hours each on two cores. */
export const PARTS = {
  crashes: ["R1", "R2", "R3", "R4", "R5"],
  models: ["R6", "R7", "R8"],
  histories: ["R9", "R10", "R11", "R12"],
  prompts: ["R13", "R14", "R15", "R16", "R17", "R18"],
  privacy: ["R19", "R20", "R21", "R22", "R23", "R24", "R25", "R26"],
  input: ["R27", "R28", "R29", "R30", "R32", "R33", "R36"],
  soak: ["R31"],
  mutation: ["R34"],
  coverage: ["R35"],
};

/** Measurements of the tests, which are not tests themselves. */
export const MEASUREMENTS = {
  R34: join("scripts", "mutation", "measure-mutations.mjs"),
  R35: join("scripts", "line-coverage", "measure-coverage.mjs"),
};

/** Returns the ids that arguments ask for: parts are replaced by their ids, everything else is kept. */
export const idsOf = (args) => args.flatMap((name) => (Object.hasOwn(PARTS, name) ? PARTS[name] : [name]));

/** Returns the pattern for text that names one of the ids. */
export const naming = (ids) => new RegExp(`\\b(?:${ids.join("|")})\\b`);

/**
 * Returns the packages and apps whose sources name one of the ids (their sources and not only their tests, because laws
 * shared by many tests are in files that are not tests), and the root, `.`, if a test of the repository's own scripts
 * begins its name with one.
 */
export function placesNaming(ids, from = root) {
  const isNamed = (pattern, place, name) =>
    globSync(pattern, { cwd: join(from, place) }).some((file) =>
      name.test(readFileSync(join(from, place, file), "utf8")),
    );
  const places = readWorkspaces(from)
    .filter(({ manifest }) => manifest.scripts?.test)
    .map(({ path }) => path)
    .filter((path) => isNamed("src/**/*.ts", path, naming(ids)));
  const isOfRoot = isNamed("scripts/*.test.mjs", ".", new RegExp(`^describe.*\\(\\s*"${naming(ids).source}`, "m"));
  return isOfRoot ? [...places, "."] : places;
}

/** Returns the lines that say how the tests with these ids ended, and the ids of which none passed. */
export function partSummary(ids, assertions) {
  const found = assertions.filter(({ fullName }) => naming(ids).test(fullName));
  const lines = found.map(({ status, duration, fullName, meta }) =>
    [status, `${(duration / 1_000).toFixed(1)} s`, fullName, figuresInWords(meta)].join("  ").trimEnd(),
  );
  const hasPassed = (id) => found.some(({ status, fullName }) => status === "passed" && naming([id]).test(fullName));
  return { lines, unproved: ids.filter((id) => !hasPassed(id)) };
}

function run(script, args, cwd) {
  const { status } = spawnSync(process.execPath, [script, ...args], {
    cwd,
    env: { THREADFOLD_ALL_SESSIONS: "1", THREADFOLD_PROPERTY_SCALE: "20", ...process.env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return status ?? 1;
}

/** Runs the measurements among the ids one at a time, because each of them uses all cores. */
const measure = (ids) =>
  ids
    .filter((id) => id in MEASUREMENTS)
    .map((id) => {
      console.log(`\n== ${MEASUREMENTS[id]}`);
      return run(join(root, MEASUREMENTS[id]), [], root);
    });

/** Stores the results of the claims, unless fewer tries were requested than a release makes. */
function keep(ids, assertions) {
  if (process.env.THREADFOLD_PROPERTY_SCALE === undefined)
    keepFullRun(
      ids.filter((id) => id in CLAIMS),
      assertions,
    );
}

function runPart(ids) {
  clearReports(root);
  const tested = ids.filter((id) => !(id in MEASUREMENTS));
  const places = tested.length > 0 ? placesNaming(tested) : [];
  const states = places.map((path) => {
    console.log(`\n== ${path}`);
    const config = path === "." ? ["--config", join(root, "scripts", "vitest.config.ts")] : [];
    return run(VITEST, ["run", ...config, "--testNamePattern", naming(tested).source], join(root, path));
  });
  states.push(...measure(ids));
  const { assertions } = readAssertions(root);
  keep(ids, assertions);
  const { lines, unproved } = partSummary(ids, assertions);
  console.log(["", `== ${ids.join(" ")}`, ...lines].join("\n"));
  if (unproved.length > 0) console.error(`No test for ${unproved.join(" ")} passed.`);
  return unproved.length > 0 || states.some((status) => status !== 0) ? 1 : 0;
}

function runAll() {
  const states = [run(join(root, "scripts", "check.mjs"), [], root), ...measure(Object.keys(MEASUREMENTS))];
  keep(Object.keys(CLAIMS), readAssertions(root).assertions);
  return states.every((status) => status === 0) ? 0 : 1;
}

/** Returns a line for each part: its ids, and where they are tested. */
export const listOfParts = () =>
  Object.entries(PARTS).map(([name, ids]) => {
    const tested = ids.filter((id) => !(id in MEASUREMENTS));
    const places = [...(tested.length > 0 ? placesNaming(tested) : []), ...ids.flatMap((id) => MEASUREMENTS[id] ?? [])];
    return `${name.padEnd(10)} ${ids.join(" ").padEnd(32)} ${places.join(" ")}`;
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const ids = idsOf(args);
  const strange = ids.filter((id) => !/^[A-Z]+\d+$/.test(id));
  if (args.includes("--list")) console.log(listOfParts().join("\n"));
  else if (strange.length > 0) {
    console.error(
      `Not a test id: ${strange.join(" ")}. Give ids such as R4, C3 or P8, or parts: ${Object.keys(PARTS).join(", ")}.`,
    );
    process.exitCode = 2;
  } else process.exitCode = ids.length > 0 ? runPart(ids) : runAll();
}
