import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clearReports } from "./test-report.mjs";
import { summarize } from "./test-summary.mjs";

let root;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "threadfold-summary-"));
  report(".", [{ a: "passed" }]);
  workspace("packages/core", { test: "vitest run" });
  report("packages/core", [{ b: "passed", c: "passed" }]);
  workspace("apps/page", {});
});

afterEach(() => rmSync(root, { recursive: true }));

describe("the closing line", () => {
  it("adds up the reports of the root and of every workspace that has tests", () => {
    expect(summarize(root)).toEqual({ lines: ["3 passed, 0 failed"], failed: false });
  });

  it("names the suites that were skipped", () => {
    report("packages/core", [{ b: "passed", "needs data > x": "skipped", "needs data > y": "skipped", later: "todo" }]);
    expect(summarize(root)).toEqual({
      lines: [
        "Skipped: packages/core: needs data (0.test.ts), 2 tests",
        "Skipped: packages/core: later (0.test.ts), 1 test",
        "2 passed, 0 failed, 3 skipped",
      ],
      failed: false,
    });
  });

  it("counts a failed test, a file that does not load and a step beside the tests", () => {
    report("packages/core", [{ b: "passed", "x > c": "failed" }, {}]);
    expect(summarize(root, ["lint"])).toEqual({
      lines: [
        "Failed: packages/core: x c",
        "Failed: packages/core: 1.test.ts does not load",
        "Failed: the step lint",
        "2 passed, 3 failed",
      ],
      failed: true,
    });
  });

  it("counts a run that failed though no test did", () => {
    report("packages/core", [{ b: "passed" }], { success: false });
    expect(summarize(root).lines).toEqual([
      "Failed: packages/core: the run failed outside its tests",
      "2 passed, 1 failed",
    ]);
  });

  it("counts what ran again under the oldest Node, or that it was skipped, and a run of it that never happened", () => {
    report("packages/core", [{ b: "passed" }]);
    mkdirSync(join(root, "scripts/oldest-node"), { recursive: true });
    expect(summarize(root).lines).toContain("Failed: scripts/oldest-node: no report: its tests did not finish");
    report("scripts/oldest-node", [{ b: "passed", "Node 22 is available only for linux": "skipped" }]);
    expect(summarize(root).lines).toEqual([
      "Skipped: scripts/oldest-node: Node 22 is available only for linux (0.test.ts), 1 test",
      "3 passed, 0 failed, 1 skipped",
    ]);
  });

  it("counts a missing report as a failure, also when it was cleared", () => {
    workspace("packages/stores", { test: "vitest run" });
    const missing = "Failed: packages/stores: no report: its tests did not finish";
    expect(summarize(root)).toEqual({ lines: [missing, "3 passed, 1 failed"], failed: true });
    clearReports(root);
    expect(summarize(root)).toMatchObject({ failed: true });
    expect(summarize(root).lines.slice(-2)).toEqual(["No test passed.", "0 passed, 3 failed"]);
  });
});

function workspace(path, scripts) {
  mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, path, "package.json"), JSON.stringify({ name: path, scripts }));
}

/** Writes a report as vitest does: one object of test name → status for each test file, an empty one did not load. */
function report(place, files, overrides = {}) {
  const results = files.map((tests, index) => testFile(tests, index));
  const statuses = files.flatMap((tests) => Object.values(tests));
  const count = (status) => statuses.filter((found) => found === status).length;
  mkdirSync(join(root, place, ".cache"), { recursive: true });
  writeFileSync(
    join(root, place, ".cache", "test-results.json"),
    JSON.stringify({
      numPassedTests: count("passed"),
      numFailedTests: count("failed"),
      numPendingTests: count("skipped"),
      numTodoTests: count("todo"),
      success: results.every(({ status }) => status === "passed"),
      testResults: results,
      ...overrides,
    }),
  );
}

function testFile(tests, index) {
  const assertionResults = Object.entries(tests).map(([name, status]) => {
    const titles = name.split(" > ");
    return { ancestorTitles: titles.slice(0, -1), title: titles.at(-1), fullName: titles.join(" "), status };
  });
  const loads = assertionResults.length > 0;
  const failed = !loads || assertionResults.some(({ status }) => status === "failed");
  return {
    assertionResults,
    status: failed ? "failed" : "passed",
    message: loads ? "" : "does not load",
    name: `/repo/src/${index}.test.ts`,
  };
}
