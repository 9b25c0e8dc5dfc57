// Everything that must hold before a change lands: build, types, lint, arrows, packages, tests. Continues after a
// failure, so that one run reports everything, and always ends with the closing line of test-summary.mjs.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { clearReports } from "./test-report.mjs";
import { root } from "./workspaces.mjs";

/** Packages at once: more than there are cores only take the processor from one another. */
const PACKAGES_AT_ONCE = Math.min(4, Math.max(2, availableParallelism()));

const turboTasks = (...tasks) =>
  script(
    "turbo.mjs",
    ...[...tasks, "--continue=dependencies-successful", "--output-logs=errors-only"],
    `--concurrency=${PACKAGES_AT_ONCE}`,
  );

/** Steps that need only the sources: they run alongside the build and the tests, which often wait for servers. */
const OF_SOURCES = {
  typecheck: () => turboTasks("//#typecheck"),
  lint: () => turboTasks("//#lint"),
  arrows: () => script("check-arrows.mjs"),
  house: () => script("house.mjs"),
  trace: () => run("--conditions=threadfold-source", join(root, "apps/bench/src/trace-turn.ts")),
  unused: () => tool("knip/bin/knip.js", "--no-progress"),
};

/** Steps that need the built packages; they run alongside the tests. */
const OF_PACKAGES = {
  publint: () => script("check-packages.mjs"),
  size: () => tool("size-limit/bin.js"),
};

const build = { build: () => turboTasks("build") };
const test = { test: () => turboTasks("test", "//#test:scripts", "//#test:oldest-node") };

clearReports(root);
const environment = { ...process.env, ...dataStamp() };
const failed = [];
const built = inTurn(build);
await Promise.all([
  built.then(() => inTurn(test)),
  Promise.all([built, inTurn(OF_SOURCES)]).then(() => inTurn(OF_PACKAGES)),
]);
console.log("\n== summary");
// Failed tests are counted in the reports.
const summary = await script("test-summary.mjs", ...failed.filter((name) => name !== "test"));
process.stdout.write(summary.output);
process.exitCode = summary.status;

/** Runs steps one at a time, and prints each one's output, time and result. */
async function inTurn(steps) {
  for (const [name, step] of Object.entries(steps)) {
    const started = performance.now();
    const { status, output } = await step();
    if (status !== 0) failed.push(name);
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    console.log(`\n== ${name} (${seconds} s${status === 0 ? "" : ", failed"})\n${output.trimEnd()}`);
  }
}

function tool(path, ...args) {
  return run(join(root, "node_modules", path), ...args);
}

function script(name, ...args) {
  return run(join(root, "scripts", name), ...args);
}

/** Runs a Node program to its end, and returns its exit code and everything it printed. */
function run(...args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: environment });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve({ status: 1, output: message }));
    child.on("close", (status) => resolve({ status: status ?? 1, output }));
  });
}

/**
 * Recorded sessions are outside the repository, where turbo does not look. Their names and sizes become part of what
 * turbo hashes, so that tests that use them run again when recordings are added, changed or removed.
 */
function dataStamp() {
  const folder = process.env.THREADFOLD_DATA ?? join(root, "..", "shared", "data");
  const hash = createHash("sha256");
  for (const file of globSync("**", { cwd: folder }).sort()) hash.update(`${file}:${sizeOf(join(folder, file))}\n`);
  return { THREADFOLD_DATA_STAMP: hash.digest("hex") };
}

/** A file that may not be read, or a dangling link, has no size; a test that needs it reports that. */
function sizeOf(path) {
  try {
    return statSync(path).size;
  } catch (error) {
    return error.code;
  }
}
