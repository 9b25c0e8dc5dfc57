// Writes docs/reliability.md: what the reliability tests of the last run proved, by which test, with the figures that
// the run itself reported, and the results of full runs (full-run.mjs). It reads the JSON reports that vitest leaves in
// each package; run the tests first. With `--json` it instead prints a line for each claim, and writes nothing.
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
  R2: "The store stays valid whichever system call fails",
  R3: "The loop survives a failure of any call to a port, once or for good",
  R4: "Each plan version has exactly one winner, and no append is lost",
  R5: "Any interleaving of two committers is safe, and so is the death of one",
  R6: "Seeded runs of mixed operations with faults agree with a reference model",
  R7: "All backends behave the same and export the same bytes",
  R8: "Repeating a call whose answer was lost returns the answer, and nothing is done twice",
  R9: "Appends to a thread and reads of it are linearizable",
  R10: "The log cannot be changed",
  R11: "Tampering is detected, and the first bad entry is named",
  R12: "Inclusion and consistency proofs are correct",
  R13: "The same input produces the same prompt",
  R14: "Every recorded request can be rendered again to the same bytes",
  R15: "Pins are never lost",
  R16: "Text that imitates users, rules or frames is never taken for one",
  R17: "Tool calls and results stay paired",
  R18: "The budget is a hard cap",
  R19: "Tenants are isolated in every call to a store",
  R20: "Tenants are isolated in the database",
  R21: "Cached summaries never reach another tenant",
  R22: "Sensitivity and access rules apply to every read, and reads are journaled",
  R23: "Erasure reaches everything derived from the erased content",
  R24: "Expired content is never read",
  R25: "Encryption holds",
  R26: "Secrets are redacted",
  R27: "Malformed input ends in a session or a typed error",
  R28: "Damaged files end in typed errors",
  R29: "The time that hostile text takes grows no faster than its length",
  R30: "A summarizer that fails or hangs never ends the loop, and is left alone for a while",
  R31: "Memory, latency and open files stay flat over a long run",
  R32: "A full, read-only or forbidden disk ends in a typed error, and work continues afterwards",
  R33: "Stores of older versions open, and a killed migration is applied completely or not at all",
  R34: "The tests notice changes to the core",
  R35: "The tests reach the core's lines and branches",
  R36: "Our pages and servers never execute what content says, and answer nobody else",
};

const STATES = { passed: "passed", failed: "**failed**" };

/**
 * Returns the claims in the order of the document, each with the tests of a run that have its id, and with the results
 * of a full run. A claim that only a full run tests has the tests of that run.
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

/** Returns a claim as a line of JSON: passed if a test of it passed and none failed, with the figures of its tests. */
export const claimLine = ({ id, tests, full }) =>
  JSON.stringify({
    id,
    passed: passes(tests),
    figures: figuresOf(tests),
    ...(full && {
      fullRun: { date: full.date, commit: full.commit, passed: passes(full.tests), figures: figuresOf(full.tests) },
    }),
  });

/** Says how many claims passed, and which did not: a claim with a failed test is not proved by others that passed. */
export function claimsInWords(claims) {
  const unproved = claims.filter(({ tests }) => !passes(tests));
  const passed = `docs/reliability.md: ${claims.length - unproved.length} of ${claims.length} claims passed.`;
  return unproved.length === 0
    ? [passed]
    : [passed, `Not proved in this run: ${unproved.map(({ id }) => id).join(", ")}`];
}

/** Returns the text of the document. */
export function reliabilityPage(assertions, { date, machine }, fullRun = {}) {
  const families = testsById(assertions, fullRun);
  const all = new Set(assertions.filter((test) => families.some(({ tests }) => tests.includes(test))));
  const seconds = secondsOf([...all]);
  const failed = [...all].filter(({ status }) => status === "failed").length;
  const skipped = [...all].filter(({ status }) => status !== "failed" && status !== "passed").length;
  return [
    "# What the tests prove about reliability",
    "",
    "Written by `npm run reliability` from the reports of a test run and from the results of full runs in [full-run.json](full-run.json); do not edit. The tests report the figures themselves.",
    "",
    `${date}, ${machine}. ${all.size} tests, ${failed} failed, ${skipped} skipped, ${seconds.toFixed(0)} s of test time in total (packages run in parallel).`,
    "",
    "A crash here means that processes are killed with SIGKILL at random times and at individual system calls, calls fail with errors, and connections are cut. Power loss is not tested by pulling a plug: whether data is on disk when a call returns depends on `synchronous=FULL` and fsync, and for PostgreSQL on the server's own settings. The system-call faults need strace; without it, those tests are skipped and their names say so.",
    "",
    "A full run (`npm run test:full`) repeats the same tests ten to fifty times as often. It takes hours and is done in parts, so each claim states the date and the commit of its own full run. How much of the code the tests reach (R35) and how many changes to it they notice (R34) is measured only by full runs.",
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

/** Describes the figures that a test reported about itself: `backend SQLite, kills 2,000`. */
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
