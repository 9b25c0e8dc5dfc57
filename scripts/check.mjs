// Everything that has to hold before a change lands: build, types, lint, arrows, packages, tests. Goes on after a
// failure, so that one run tells everything, and ends with the closing line of test-summary.mjs whatever happens.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { clearReports } from "./test-report.mjs";
import { root } from "./workspaces.mjs";

const turboTasks = (...tasks) =>
  script(
    "turbo.mjs",
    ...[...tasks, "--continue=dependencies-successful", "--output-logs=errors-only", "--concurrency=3"],
  );

/** Steps that look at the sources alone: they go beside the build and the tests, which often wait, for servers or at an end. */
const OF_SOURCES = {
  typecheck: () => turboTasks("//#typecheck"),
  lint: () => turboTasks("//#lint"),
  arrows: () => script("check-arrows.mjs"),
  house: () => script("house.mjs"),
  trace: () => run("--conditions=threadfold-source", join(root, "apps/bench/src/trace-turn.ts")),
  unused: () => tool("knip/bin/knip.js", "--no-progress"),
};

/** Steps that look at what is built, beside the tests. */
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
// Failed tests are in the reports and counted there.
const summary = await script("test-summary.mjs", ...failed.filter((name) => name !== "test"));
process.stdout.write(summary.output);
process.exitCode = summary.status;

/** Takes steps one after the other, and says of each what it said and how it ended. */
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

/** Runs a program of Node to its end, and gives its exit code and all that it printed. */
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
 * Recorded sessions lie outside the repository, where turbo does not look. Their names and sizes become part of what
 * turbo hashes, so that tests on them run again when the recordings come, change or go.
 */
function dataStamp() {
  const folder = process.env.THREADFOLD_DATA ?? join(root, "..", "shared", "data");
  const hash = createHash("sha256");
  for (const file of globSync("**", { cwd: folder }).sort()) hash.update(`${file}:${sizeOf(join(folder, file))}\n`);
  return { THREADFOLD_DATA_STAMP: hash.digest("hex") };
}

/** What may not be read, or is a dangling link, has no size; a test that needs it says so. */
function sizeOf(path) {
  try {
    return statSync(path).size;
  } catch (error) {
    return error.code;
  }
}
