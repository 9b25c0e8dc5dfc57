// Lists the scenarios of conformance.md and the requirements of docs/spec that no test is named after. `--planner`
// checks only the planner's scenarios. Exits with 1 if one of the planner's scenarios, or a requirement, has no test.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { allIds, idsIn, isPlannerId, requirementsIn } from "./scenario-ids.mjs";
import { leadingIds, testNames } from "./test-names.mjs";

/** Tests, and the law suites that tests call. */
const SOURCES = [
  "{packages,apps}/*/src/**/*.test.ts",
  "{packages,apps}/*/src/**/{laws/*,*-laws}.ts",
  "scripts/**/*.test.mjs",
];

/**
 * Returns which scenarios and requirements have tests.
 * @param {string} root the root of the repository
 * @param {string} conformance folder of conformance.md; if that file does not exist, only the built-in list is used
 * @returns {{ untested: string[], unknown: string[], tested: number, unproven: string[], proven: number }} scenarios
 * without a test; ids that the document has and the built-in list lacks; requirements without a test
 */
export function listUntested(root, conformance, { planner = false } = {}) {
  const document = join(conformance, "conformance.md");
  const known = allIds();
  const defined = existsSync(document) ? idsIn(readFileSync(document, "utf8")) : [];
  const wanted = [...new Set([...known, ...defined])].filter((id) => !planner || isPlannerId(id));
  const tested = testedIds(root);
  const required = planner ? [] : requirementsOf(root);
  const unproven = required.filter((id) => !tested.has(id));
  const untested = wanted.filter((id) => !tested.has(id));
  const unknown = defined.filter((id) => !known.includes(id));
  return {
    untested,
    unknown,
    tested: wanted.length - untested.length,
    unproven,
    proven: required.length - unproven.length,
  };
}

function requirementsOf(root) {
  const page = join(root, "docs/spec/requirements.md");
  return existsSync(page) ? requirementsIn(readFileSync(page, "utf8")) : [];
}

function testedIds(root) {
  const files = globSync(SOURCES, { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" });
  return new Set(
    files.flatMap((file) =>
      testNames(file, readFileSync(join(root, file), "utf8")).flatMap((name) => leadingIds(name)),
    ),
  );
}

/** Prints what is missing. @returns {number} the exit code */
export function reportUntested(root, conformance, options, print = console.log) {
  const { untested, unknown, tested, unproven, proven } = listUntested(root, conformance, options);
  if (unknown.length > 0) print(`Not in scripts/scenarios/scenario-ids.mjs: ${unknown.join(", ")}`);
  print(`${tested} scenarios have a test.`);
  if (untested.length > 0) print(`Without a test: ${untested.join(", ")}`);
  if (proven + unproven.length > 0) print(`${proven} requirements have a test.`);
  if (unproven.length > 0) print(`Without a test: ${unproven.join(", ")}`);
  return untested.some(isPlannerId) || unknown.length + unproven.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const conformance = process.env.THREADFOLD_CONFORMANCE ?? join(root, "..", "shared");
  process.exitCode = reportUntested(root, conformance, { planner: process.argv.includes("--planner") });
}
