// Writes docs/reliability.md: what the reliability tests of the last run proved, by which test, with the figures that the
// run itself reported, and what full runs found (full-run.mjs). It reads the JSON reports that vitest leaves in each package;
// run the tests first. With `--json` it prints a line for each claim instead, and writes nothing.
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { machineInWords, readFullRun, testsOf } from "./full-run.mjs";
import { readAssertions } from "./test-report.mjs";
import { root } from "./workspaces.mjs";

const PLACE = join(root, "docs", "reliability.md");

/** What each id claims, in the order of the document. */
export const CLAIMS = {
  R1: "No acknowledged write is lost when a process is killed",
  R2: "Every failing system call leaves a valid store",
  R3: "Any call of a port may fail, once or for good",
  R4: "One winner for each plan version, and no lost append",
  R5: "Every order in which two committers can meet is safe, and so is the death of one",
  R6: "Seeded runs of mixed operations with faults hold against a model",
  R7: "All backends do the same, and export the same bytes",
  R8: "An answer that was lost comes again, and nothing is done twice",
  R9: "What clients append to and read of a thread is linearizable",
  R10: "The log cannot be changed",
  R11: "Tampering is found, and the first bad entry named",
  R12: "Inclusion and consistency proofs are right",
  R13: "The same input gives the same prompt",
  R14: "Every recorded request is rendered again to the same bytes",
  R15: "Pins are never lost",
  R16: "Text that imitates users, rules or frames never becomes one",
  R17: "Tool calls and results stay together",
  R18: "The budget is a hard cap",
  R19: "Tenants are apart, through every call of the stores",
  R20: "Tenants are apart in the database",
  R21: "Cached summaries cross no border",
  R22: "Sensitivity and access hold at every reading, and readings are journaled",
  R23: "Erasure reaches what was derived",
  R24: "What has expired is never read",
  R25: "Encryption holds",
  R26: "Secrets are redacted",
  R27: "Malformed input ends in a session or in a typed error",
  R28: "Damaged files end in typed errors",
  R29: "Hostile text takes time that grows with its length and no faster",
  R30: "A summarizer that fails or hangs ends no loop, and is left alone for a while",
  R31: "Memory, latency and open files stay flat in a long run",
  R32: "A full, read-only or forbidden disk ends in a typed error, and on it goes afterwards",
  R33: "Stores of older versions open, and a migration that is killed leaves none or all of it",
  R34: "Tests see it when the core is changed",
  R35: "Tests reach the core's lines and branches",
  R36: "Pages and servers of ours run nothing that content says, and answer nobody else",
};

const STATES = { passed: "passed", failed: "**failed**" };

/**
 * The claims in the order of the document, each with the tests of a run that have its id, and with what a full run found. What
 * only a full run tries stands with the tests of that one.
 */
export function testsById(assertions, fullRun = {}) {
  return Object.keys(CLAIMS).map((id) => {
    const tests = testsOf(id, assertions);
    return { id, tests: tests.length > 0 ? tests : (fullRun[id]?.tests ?? []), full: fullRun[id] };
  });
}

const passes = (tests) =>
  tests.some(({ status }) => status === "passed") && !tests.some(({ status }) => status === "failed");

const figuresOf = (tests) =>
  tests.flatMap(({ title, meta }) => (meta?.figures ? [{ test: title, ...meta.figures }] : []));

/** A claim as a line of JSON: proved when a test of it passed and none failed, with the figures of each of its tests. */
export const claimLine = ({ id, tests, full }) =>
  JSON.stringify({
    id,
    passed: passes(tests),
    figures: figuresOf(tests),
    ...(full && {
      fullRun: { date: full.date, commit: full.commit, passed: passes(full.tests), figures: figuresOf(full.tests) },
    }),
  });

/** How many claims passed, and which did not: with a test that failed, one is not proved by others that passed. */
export function claimsInWords(claims) {
  const unproved = claims.filter(({ tests }) => !passes(tests));
  const passed = `docs/reliability.md: ${claims.length - unproved.length} of ${claims.length} claims passed.`;
  return unproved.length === 0
    ? [passed]
    : [passed, `Not proved in this run: ${unproved.map(({ id }) => id).join(", ")}`];
}

/** The document's text. */
export function reliabilityPage(assertions, { date, machine }, fullRun = {}) {
  const families = testsById(assertions, fullRun);
  const all = new Set(assertions.filter((test) => families.some(({ tests }) => tests.includes(test))));
  const seconds = secondsOf([...all]);
  const failed = [...all].filter(({ status }) => status === "failed").length;
  const skipped = [...all].filter(({ status }) => status !== "failed" && status !== "passed").length;
  return [
    "# What is proved about reliability",
    "",
    "Written by `npm run reliability` from the reports of a test run and from what full runs left in [full-run.json](full-run.json); do not edit. Figures are those that the tests reported themselves.",
    "",
    `${date}, ${machine}. ${all.size} tests, ${failed} failed, ${skipped} skipped, ${seconds.toFixed(0)} s of test time in all (packages run side by side).`,
    "",
    "What is meant by a crash: processes are killed with SIGKILL at random times and at single system calls, calls fail with errors, connections are cut. Power loss is not tested by pulling a plug; that data is on the disk when a call returns rests on `synchronous=FULL` and fsync, and on the server's own settings for PostgreSQL. System-call faults need strace and are skipped by name where it is missing. A full run, `npm run test:full`, tries the same ten to fifty times as often; it takes hours and is made in parts, so that each claim names the day and the commit of its own. How much of the code the tests reach (R35) and how many changes of it they notice (R34) are measured by full runs alone.",
    "",
    "| Id | Claim | Result | Tests | s | Full run |",
    "|---|---|---|---|---|---|",
    ...families.map(familyRow),
    "",
    "## Figures",
    "",
    "| Id | Test | Figures of this run | Result | s |",
    "|---|---|---|---|---|",
    ...families.flatMap(({ id, tests, full }) => (tests === full?.tests ? [] : figureRows(id, tests))),
    "",
    "## Figures of full runs",
    "",
    "| Id | Test | Figures of the full run | Result | s |",
    "|---|---|---|---|---|",
    ...families.flatMap(({ id, full }) => figureRows(id, full?.tests ?? [])),
    "",
  ].join("\n");
}

const secondsOf = (tests) => tests.reduce((sum, { duration }) => sum + duration, 0) / 1_000;

function resultOf(tests) {
  if (tests.some(({ status }) => status === "failed")) return STATES.failed;
  if (passes(tests)) return STATES.passed;
  return tests.length === 0 ? "no test" : "skipped";
}

function familyRow({ id, tests, full }) {
  const files = [...new Set(tests.map(({ file }) => `\`${basename(file)}\``))].join(", ");
  const fullRun = full === undefined ? "" : `${resultOf(full.tests)}, ${full.date}, at ${full.commit}`;
  const found = `${resultOf(tests)} | ${tests.length} in ${files || "none"} | ${secondsOf(tests).toFixed(1)}`;
  return `| ${id} | ${CLAIMS[id]} | ${found} | ${fullRun} |`;
}

const figureRows = (id, tests) => tests.filter(({ meta }) => meta?.figures).map((test) => figureRow(id, test));

function figureRow(id, { title, meta, status, duration }) {
  const cells = [id, title, figuresInWords(meta), STATES[status] ?? "skipped", (duration / 1_000).toFixed(1)];
  return `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
}

/** The figures that a test reported of itself: `backend SQLite, kills 2,000`. */
export const figuresInWords = (meta) =>
  Object.entries(meta?.figures ?? {})
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(", ");

const shown = (value) => (typeof value === "number" ? value.toLocaleString("en-US") : String(value));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { assertions, startedAt } = readAssertions(root);
  const fullRun = readFullRun();
  const claims = testsById(assertions, fullRun);
  if (process.argv.includes("--json")) for (const claim of claims) console.log(claimLine(claim));
  else {
    const date = new Date(startedAt).toISOString().slice(0, 10);
    writeFileSync(PLACE, reliabilityPage(assertions, { date, machine: machineInWords() }, fullRun));
    for (const line of claimsInWords(claims)) console.log(line);
  }
  const failed = assertions.some(({ status, fullName }) => status === "failed" && /\bR\d+\b/.test(fullName));
  process.exitCode = failed ? 1 : 0;
}
