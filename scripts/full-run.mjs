// The results of full runs, kept by claim in docs/full-run.json: a full run takes hours and is done in parts, so each
// claim has the date and the commit of the run that last tested it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { basename, join } from "node:path";
import { currentCommit } from "./current-commit.mjs";
import { root } from "./workspaces.mjs";

const KEPT = "docs/full-run.json";
const PAGE = "docs/reliability.md";

/** Returns the tests whose names contain an id. */
export const testsOf = (id, assertions) =>
  assertions.filter(({ fullName }) => new RegExp(`\\b${id}\\b`).test(fullName));

/**
 * Returns the stored results by claim: `{ date, commit, machine, tests }`, without the machine's paths in the tests.
 */
export function readFullRun(from = root) {
  const file = join(from, KEPT);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Returns the results to store after testing these claims: theirs are new, all others unchanged, ordered by number. */
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

/** Stores how the tests of these claims ended, with today's date, the commit and the machine. */
export function keepFullRun(ids, assertions) {
  const date = new Date().toISOString().slice(0, 10);
  const run = { date, commit: currentCommit([KEPT, PAGE]), machine: machineInWords() };
  const kept = withClaims(readFullRun(), ids, assertions, run);
  writeFileSync(join(root, KEPT), `${JSON.stringify(kept, null, 2)}\n`);
}

/** Describes the machine in words, without its name. */
export function machineInWords() {
  const cores = cpus();
  const model = cores[0]?.model.trim() || process.arch;
  return `${cores.length} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node.js ${process.versions.node}`;
}
