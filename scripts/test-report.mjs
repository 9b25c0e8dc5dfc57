// Reads the JSON reports that vitest leaves in each package and adds them up.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readWorkspaces } from "./workspaces.mjs";

/** Where a run leaves its report, relative to the tested folder. */
export const REPORT = join(".cache", "test-results.json");

/** The folder of the tests that run again under the oldest Node. */
export const OLDEST_NODE = join("scripts", "oldest-node");

/**
 * The folders of measurements that only a release runs: a daily run has no report from them and does not expect one.
 */
const MEASURED = [join("scripts", "line-coverage"), join("scripts", "mutation")];

/**
 * Returns where reports are expected: in the root, for the repository's own scripts, in every workspace with a test
 * script, and for the run under the oldest Node.
 */
export function reportPlaces(root) {
  const again = existsSync(join(root, OLDEST_NODE)) ? [OLDEST_NODE] : [];
  return [...firstPlaces(root), ...again];
}

/** Returns where each test has its first report: excludes those that run again under another Node. */
function firstPlaces(root) {
  return [
    ".",
    ...readWorkspaces(root)
      .filter(({ manifest }) => manifest.scripts?.test)
      .map(({ path }) => path),
  ];
}

/** Deletes old reports, so that a run that never happened cannot look like one that passed. */
export function clearReports(root) {
  for (const place of [...reportPlaces(root), ...MEASURED]) rmSync(join(root, place, REPORT), { force: true });
}

/** Writes the result of a measurement as a test report, in the same place and form as a test run does. */
export function writeReport(root, place, startTime, tests) {
  const count = (status) => tests.filter((test) => test.status === status).length;
  const assertionResults = tests.map((test) => ({ ...test, fullName: [...test.ancestorTitles, test.title].join(" ") }));
  const success = count("failed") === 0;
  const testResults = [
    { name: join(root, place), status: success ? "passed" : "failed", message: "", assertionResults },
  ];
  const counts = { numPassedTests: count("passed"), numPendingTests: count("skipped"), numTodoTests: 0 };
  mkdirSync(join(root, place, ".cache"), { recursive: true });
  writeFileSync(join(root, place, REPORT), JSON.stringify({ startTime, success, ...counts, testResults }));
}

/** Adds up all reports: counts, what failed and what was skipped, one line each. */
export function readReports(root) {
  const total = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };
  for (const place of [...reportPlaces(root), ...MEASURED.filter((folder) => existsSync(join(root, folder, REPORT)))]) {
    const part = readReport(join(root, place, REPORT), place === "." ? "scripts" : place);
    for (const key of ["passed", "failed", "skipped"]) total[key] += part[key];
    total.failures.push(...part.failures);
    total.skips.push(...part.skips);
  }
  return total;
}

/**
 * Returns every test of the reports once, with its file, the data it reported in `meta`, and its duration in
 * milliseconds; and the time when the first of the runs began.
 */
export function readAssertions(root) {
  const reports = [...firstPlaces(root), ...MEASURED]
    .map((place) => join(root, place, REPORT))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, "utf8")));
  const assertions = reports.flatMap(({ testResults }) =>
    testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map((test) => ({ ...test, file: name, duration: test.duration ?? 0 })),
    ),
  );
  return { assertions, startedAt: Math.min(...reports.map(({ startTime }) => startTime)) };
}

function readReport(file, place) {
  const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  const failures = report === undefined ? [`${place}: no report: its tests did not finish`] : failuresOf(report, place);
  return {
    passed: report?.numPassedTests ?? 0,
    failed: failures.length,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    failures,
    skips: report === undefined ? [] : skipsOf(report, place),
  };
}

/**
 * A file that fails without a failed test (it does not load, a hook throws) counts as one failure, as does a whole run.
 */
function failuresOf({ testResults, success }, place) {
  const failures = testResults.flatMap(({ assertionResults, status, message, name }) => {
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length > 0) return failed.map(({ fullName }) => `${place}: ${fullName}`);
    return status === "failed" ? [`${place}: ${name.split("/").pop()} ${message.split("\n")[0]}`.trimEnd()] : [];
  });
  return failures.length === 0 && !success ? [`${place}: the run failed outside its tests`] : failures;
}

/** Groups skipped tests by suite; the name of the suite says why it is skipped. */
function skipsOf({ testResults }, place) {
  const suites = new Map();
  for (const { assertionResults, name } of testResults) {
    for (const { status, ancestorTitles, title } of assertionResults) {
      if (!["skipped", "pending", "todo", "disabled"].includes(status)) continue;
      const suite = `${place}: ${ancestorTitles[0] ?? title} (${name.split("/").pop()})`;
      suites.set(suite, (suites.get(suite) ?? 0) + 1);
    }
  }
  return [...suites].map(([suite, count]) => `${suite}, ${count === 1 ? "1 test" : `${count} tests`}`);
}
