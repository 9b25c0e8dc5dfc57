// Runs the tests that depend on the Node version under the oldest supported Node. They are counted with all other
// tests, also as skipped if the registry has no such Node for the platform.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FOLDER, oldestNode, whyNoOldestNode } from "./oldest-node.mjs";
import { REPORT } from "./test-report.mjs";
import { root } from "./workspaces.mjs";

if (whyNoOldestNode === undefined) process.exitCode = runTests(await oldestNode());
else reportSkipped(whyNoOldestNode);

function runTests(node) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const config = join(FOLDER, "vitest.config.ts");
  const { status } = spawnSync(node, [vitest, "run", "--config", config], { cwd: root, stdio: "inherit" });
  return status ?? 1;
}

/** Writes a report with one skipped test that is named after the reason. */
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
