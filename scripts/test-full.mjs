// The whole check with nothing left out: every recorded session, and everything that is tried at random as often as a
// release asks for. It takes hours, so it can be run in parts: `npm run test:full -- R4 R9` runs the tests that have one
// of these ids in their names, from source, and says of each how it ended and what it counted. H1, every host from
// installed packages, packs what is built.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figuresInWords } from "./reliability-report.mjs";
import { clearReports, readAssertions } from "./test-report.mjs";
import { readWorkspaces, root } from "./workspaces.mjs";

const VITEST = join(root, "node_modules", "vitest", "vitest.mjs");

/** What text that names one of the ids is like. */
export const naming = (ids) => new RegExp(`\\b(?:${ids.join("|")})\\b`);

/**
 * The packages and apps whose sources name one of the ids, for laws that many tests share stand in files that are not
 * tests; and the root, `.`, where a test of the house's own scripts begins its name with one.
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
  const isOfRoot = isNamed("scripts/*.test.mjs", ".", new RegExp(`^describe\\S*\\("${naming(ids).source}`, "m"));
  return isOfRoot ? [...places, "."] : places;
}

/** The lines that say how the tests with these ids ended, and the ids of which none passed. */
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

function runPart(ids) {
  clearReports(root);
  const states = placesNaming(ids).map((path) => {
    console.log(`\n== ${path}`);
    const config = path === "." ? ["--config", join(root, "scripts", "vitest.config.ts")] : [];
    return run(VITEST, ["run", ...config, "--testNamePattern", naming(ids).source], join(root, path));
  });
  const { lines, unproved } = partSummary(ids, readAssertions(root).assertions);
  console.log(["", `== ${ids.join(" ")}`, ...lines].join("\n"));
  if (unproved.length > 0) console.error(`No test of ${unproved.join(" ")} passed.`);
  return unproved.length > 0 || states.some((status) => status !== 0) ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ids = process.argv.slice(2);
  const strange = ids.filter((id) => !/^[A-Z]+\d+$/.test(id));
  if (strange.length > 0) {
    console.error(`Not an id of tests: ${strange.join(" ")}. Give ids such as R4, C3 or P8.`);
    process.exitCode = 2;
  } else process.exitCode = ids.length > 0 ? runPart(ids) : run(join(root, "scripts", "check.mjs"), [], root);
}
