import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimLine, reliabilityPage, testsById } from "./reliability-report.mjs";
import { readAssertions } from "./test-report.mjs";

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "threadfold-reliability-"));
  mkdirSync(join(root, "packages/stores/.cache"), { recursive: true });
  writeFileSync(join(root, "package.json"), JSON.stringify({ workspaces: ["packages/*"] }));
  writeFileSync(
    join(root, "packages/stores/package.json"),
    JSON.stringify({ name: "stores", scripts: { test: "vitest run" } }),
  );
});
afterEach(() => rmSync(root, { recursive: true }));

const test = (title, status, meta = {}) => ({ title, fullName: `a store ${title}`, status, meta, duration: 1_500 });

/** Leaves a report as vitest does, and reads it. */
function read(...tests) {
  const report = {
    startTime: Date.UTC(2026, 0, 31),
    testResults: [{ name: "/x/kills.test.ts", assertionResults: tests }],
  };
  writeFileSync(join(root, "packages/stores/.cache/test-results.json"), JSON.stringify(report));
  return readAssertions(root);
}

const place = { date: "2026-01-31", machine: "2 cores" };

describe("the reliability report", () => {
  it("gives each claim its tests by their ids, and the figures that they reported", () => {
    const { assertions, startedAt } = read(
      test("R1 loses nothing (200 kills)", "passed", { figures: { kills: 1_200, backend: "SQLite" } }),
      test("R13 R14 replays", "passed"),
      test("L12 is something else", "passed"),
    );
    expect(startedAt).toBe(Date.UTC(2026, 0, 31));
    const found = testsById(assertions).filter(({ tests }) => tests.length > 0);
    expect(found.map(({ id }) => id)).toEqual(["R1", "R13", "R14"]);
    const page = reliabilityPage(assertions, place);
    expect(page).toContain("2026-01-31, 2 cores. 2 tests, 0 failed, 0 skipped, 3 s");
    expect(page).toContain(
      "| R1 | No acknowledged write is lost when a process is killed | passed | 1 in `kills.test.ts` | 1.5 |",
    );
    expect(page).toContain("| R1 | R1 loses nothing (200 kills) | kills 1,200, backend SQLite | passed | 1.5 |");
    expect(page).toContain("| no test | 0 in none | 0.0 |");
  });

  it("says what failed and what was skipped, in JSON too", () => {
    const { assertions } = read(
      test("R1 a", "passed"),
      test("R1 b", "failed"),
      test("R2 c", "skipped"),
      test("R3 d", "passed", { figures: { faults: 7 } }),
    );
    const lines = testsById(assertions).map((claim) => JSON.parse(claimLine(claim)));
    expect(lines.slice(0, 3)).toEqual([
      { id: "R1", passed: false, figures: [] },
      { id: "R2", passed: false, figures: [] },
      { id: "R3", passed: true, figures: [{ test: "R3 d", faults: 7 }] },
    ]);
    const page = reliabilityPage(assertions, place);
    expect(page).toMatch(/^\| R1 \|.*\| \*\*failed\*\* \|/m);
    expect(page).toMatch(/^\| R2 \|.*\| skipped \|/m);
  });
});
