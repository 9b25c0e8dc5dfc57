// Runs what depends on the Node it runs on under the oldest one that is promised, which comes from npm's registry at
// first use and stays in scripts/oldest-node. What it ran is counted with all other tests, also that it was skipped where
// the registry has no such Node for the platform.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { npm } from "./npm.mjs";
import { OLDEST_NODE, REPORT } from "./test-report.mjs";
import { root } from "./workspaces.mjs";

const FOLDER = join(root, OLDEST_NODE);
const LOCKFILE = join(FOLDER, "package-lock.json");
/** A copy of the lockfile that was installed: an install that was broken off has none. */
const INSTALLED = join(FOLDER, "node_modules", ".installed-lockfile.json");

const [[path, { version, os, cpu, bin }]] = Object.entries(JSON.parse(readFileSync(LOCKFILE, "utf8")).packages).filter(
  ([name]) => name !== "",
);
if (os.includes(process.platform) && cpu.includes(process.arch)) {
  await install();
  process.exitCode = runTests(join(FOLDER, path, bin.node));
} else reportSkipped(`Node ${version} comes for ${os} ${cpu} only`);

async function install() {
  if (existsSync(INSTALLED) && readFileSync(INSTALLED).equals(readFileSync(LOCKFILE))) return;
  console.log(`Installing Node ${version} into ${OLDEST_NODE} ...`);
  await npm(["ci", "--loglevel=error"], { cwd: FOLDER });
  copyFileSync(LOCKFILE, INSTALLED);
}

function runTests(node) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const config = join(FOLDER, "vitest.config.ts");
  const { status } = spawnSync(node, [vitest, "run", "--config", config], { cwd: root, stdio: "inherit" });
  return status ?? 1;
}

/** Leaves a report in which the one test is skipped, and named by the reason. */
function reportSkipped(reason) {
  console.log(`Skipped: ${reason}.`);
  const test = { status: "skipped", ancestorTitles: [], title: reason, fullName: reason };
  const file = join(FOLDER, REPORT);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({
      ...{ success: true, numPassedTests: 0, numFailedTests: 0, numPendingTests: 1, numTodoTests: 0 },
      testResults: [{ name: FOLDER, status: "passed", message: "", assertionResults: [test] }],
    }),
  );
}
