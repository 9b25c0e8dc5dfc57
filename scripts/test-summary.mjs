// Prints the test results of all packages. The last line is `N passed, N failed`, plus `, N skipped` if any were.
// Arguments name other failed steps (lint, arrows, …); each counts as one failure.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readReports } from "./test-report.mjs";
import { root } from "./workspaces.mjs";

/** Where the closing line is kept for `.ci/run`. */
export const CLOSING_LINE = join(root, ".cache", "closing-line.txt");

/** @returns {{ lines: string[], failed: boolean }} the summary's lines, the closing line last */
export function summarize(from, failedSteps = []) {
  const { passed, failed, skipped, failures, skips } = readReports(from);
  const allFailed = failed + failedSteps.length;
  const closing = `${passed} passed, ${allFailed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  const lines = [
    ...skips.map((skip) => `Skipped: ${skip}`),
    ...failures.map((failure) => `Failed: ${failure}`),
    ...failedSteps.map((step) => `Failed: the step ${step}`),
    ...(passed === 0 ? ["No test passed."] : []),
    closing,
  ];
  return { lines, failed: allFailed > 0 || passed === 0 };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { lines, failed } = summarize(root, process.argv.slice(2));
  console.log(lines.join("\n"));
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(CLOSING_LINE, `${lines.at(-1)}\n`);
  process.exitCode = failed ? 1 : 0;
}
