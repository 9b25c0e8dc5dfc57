import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claimLine, testsById } from "../reliability-report.mjs";
import { clearReports, readAssertions, readReports, writeReport } from "../test-report.mjs";
import { coverageByPackage, coverageProblems, coverageTest } from "./measure-coverage.mjs";

const counts = (covered, total) => ({ covered, total, skipped: 0, pct: 0 });
const file = (lines, branches) => ({ lines: counts(...lines), branches: counts(...branches) });
const SUMMARY = {
  total: file([0, 0], [0, 0]),
  "/house/packages/core/src/plan/a.ts": file([90, 90], [18, 19]),
  "/house/packages/core/src/plan/b.ts": file([5, 10], [0, 1]),
  "/house/packages/core-like/src/c.ts": file([0, 50], [0, 50]),
  "/house/packages/turn/src/d.ts": file([9_999, 10_000], [0, 0]),
};

describe("the coverage of a package", () => {
  it("is that of its own files, cut and not rounded", () => {
    const [core, turn] = coverageByPackage(SUMMARY, ["core", "turn"], "/house");
    expect(core).toMatchObject({ name: "core", lines: 95, branches: 90 });
    expect(core.files).toHaveLength(2);
    expect(turn).toMatchObject({ lines: 99.99, branches: 0 });
  });

  it("is too little below 95 of 100 lines or 90 of 100 branches, and the worst file is named first", () => {
    const [core] = coverageByPackage(SUMMARY, ["core"], "/house");
    expect(coverageProblems(core)).toEqual([]);
    expect(coverageProblems({ ...core, lines: 94.99 })).toEqual([
      expect.stringContaining(
        "core: 94.99 % of lines but must be at least 95 %; most of what is missing is in plan/b.ts",
      ),
    ]);
    expect(coverageProblems({ ...core, branches: 89.99 })).toHaveLength(1);
  });

  it("is nothing where no file is measured, and that is too little", () => {
    expect(coverageProblems(coverageByPackage(SUMMARY, ["stores"], "/house")[0])).toHaveLength(2);
  });

  it("stands with the claims as a test does, counts in the closing line, and goes with the reports", () => {
    const folder = mkdtempSync(join(tmpdir(), "threadfold-coverage-"));
    try {
      const packages = coverageByPackage(SUMMARY, ["core", "turn"], "/house");
      const tests = packages.map((covered) => coverageTest(covered, 2));
      writeReport(folder, "scripts/line-coverage", 1_000, tests);
      const { assertions, startedAt } = readAssertions(folder);
      expect(startedAt).toBe(1_000);
      const claim = testsById(assertions).find(({ id }) => id === "R35");
      expect(JSON.parse(claimLine(claim))).toMatchObject({
        passed: false,
        figures: [
          { package: "core", files: 2, "lines, %": 95, "branches, %": 90 },
          { package: "turn", "branches, %": 0 },
        ],
      });
      expect(readReports(folder)).toMatchObject({
        passed: 1,
        failures: expect.arrayContaining([expect.stringMatching(/^scripts\/line-coverage: R35 .* turn$/)]),
      });
      clearReports(folder);
      expect(readAssertions(folder).assertions).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
