// What full runs found, kept by claim in docs/full-run.json: a full run takes hours and is made in parts, so that each claim
// has the date and the commit of the run that tried it last.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { basename, join } from "node:path";
import { currentCommit } from "./current-commit.mjs";
import { root } from "./workspaces.mjs";

const KEPT = "docs/full-run.json";
const PAGE = "docs/reliability.md";

/** The tests whose names have an id in them. */
export const testsOf = (id, assertions) =>
  assertions.filter(({ fullName }) => new RegExp(`\\b${id}\\b`).test(fullName));

/** What was kept, by claim: `{ date, commit, machine, tests }`, the tests as a report has them and without the machine's paths. */
export function readFullRun(from = root) {
  const file = join(from, KEPT);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** What is kept when these claims were tried: theirs anew, all others as they were, in the order of their numbers. */
export function withClaims(kept, ids, assertions, run) {
  const tried = ids
    .map((id) => [id, testsOf(id, assertions).map(keptTest)])
    .filter(([, tests]) => tests.length > 0)
    .map(([id, tests]) => [id, { ...run, tests }]);
  const all = Object.entries({ ...kept, ...Object.fromEntries(tried) });
  return Object.fromEntries(all.sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1))));
}

const keptTest = ({ file, title, fullName, status, duration, meta }) => ({
  file: basename(file),
  title,
  fullName,
  status,
  duration: Math.round(duration),
  ...(meta?.figures && { meta: { figures: meta.figures } }),
});

/** Keeps how the tests of these claims ended, with today's date, the commit and the machine. */
export function keepFullRun(ids, assertions) {
  const date = new Date().toISOString().slice(0, 10);
  const run = { date, commit: currentCommit([KEPT, PAGE]), machine: machineInWords() };
  const kept = withClaims(readFullRun(), ids, assertions, run);
  writeFileSync(join(root, KEPT), `${JSON.stringify(kept, null, 2)}\n`);
}

/** The machine in words, without its name. */
export function machineInWords() {
  const cores = cpus();
  const model = cores[0]?.model.trim() || process.arch;
  return `${cores.length} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node.js ${process.versions.node}`;
}
