// Everything that has to hold before a change lands: build, types, lint, arrows, packages, tests. Goes on after a
// failure, so that one run tells everything, and ends with the closing line of test-summary.mjs whatever happens.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { clearReports } from "./test-report.mjs";
import { turbo } from "./turbo.mjs";
import { root } from "./workspaces.mjs";

const turboTasks = (...tasks) =>
  turbo([...tasks, "--continue=dependencies-successful", "--output-logs=errors-only", "--concurrency=2"], dataStamp());

const STEPS = {
  build: () => turboTasks("build"),
  typecheck: () => turboTasks("//#typecheck"),
  lint: () => turboTasks("//#lint"),
  arrows: () => script("check-arrows.mjs"),
  house: () => script("house.mjs"),
  trace: () => run("--conditions=threadfold-source", join(root, "apps/bench/src/trace-turn.ts")),
  publint: () => script("check-packages.mjs"),
  unused: () => tool("knip/bin/knip.js", "--no-progress"),
  size: () => tool("size-limit/bin.js"),
  test: () => turboTasks("test", "//#test:scripts", "//#test:oldest-node"),
};

clearReports(root);
const failed = Object.entries(STEPS).filter(([name, run]) => {
  console.log(`\n== ${name}`);
  try {
    return run() !== 0;
  } catch (error) {
    console.error(error);
    return true;
  }
});
console.log("\n== summary");
// Failed tests are in the reports and counted there.
process.exitCode = script("test-summary.mjs", ...failed.map(([name]) => name).filter((name) => name !== "test"));

function tool(path, ...args) {
  return run(join(root, "node_modules", path), ...args);
}

function script(name, ...args) {
  return run(join(root, "scripts", name), ...args);
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return status ?? 1;
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
