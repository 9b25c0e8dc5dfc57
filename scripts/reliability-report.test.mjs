import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withClaims } from "./full-run.mjs";
import { claimLine, claimsInWords, reliabilityPage, testsById } from "./reliability-report.mjs";
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

  it("says of each claim what its full run found, and when, and takes from there what no other run tries", () => {
    const run = { date: "2026-01-01", commit: "abc", machine: "2 cores" };
    const { assertions: full } = read(
      test("R1 loses nothing", "passed", { figures: { kills: 2_000 } }),
      test("R34 a test notices", "failed", { figures: { "score, %": 84 } }),
    );
    const kept = withClaims({}, ["R1", "R34"], full, run);
    const { assertions } = read(test("R1 loses nothing", "passed", { figures: { kills: 200 } }));
    const page = reliabilityPage(assertions, place, kept);
    expect(page).toContain("2026-01-31, 2 cores. 1 tests, 0 failed");
    expect(page).toMatch(/^\| R1 \|.*\| passed \| 1 in `kills.test.ts` \| 1.5 \| passed, 2026-01-01, at abc \|$/m);
    expect(page).toMatch(/^\| R34 \|.*\| \*\*failed\*\* \| 1 in .*, 2026-01-01, at abc \|$/m);
    const [figures, ofFullRuns] = page.split("## Figures of full runs");
    expect(figures).toContain("| R1 | R1 loses nothing | kills 200 | passed | 1.5 |");
    expect(figures).not.toContain("score, % 84");
    expect(ofFullRuns).toContain("| R1 | R1 loses nothing | kills 2,000 | passed | 1.5 |");
    expect(ofFullRuns).toContain("| R34 | R34 a test notices | score, % 84 | **failed** | 1.5 |");
    const lines = testsById(assertions, kept).map((claim) => JSON.parse(claimLine(claim)));
    expect(lines[0]).toMatchObject({
      passed: true,
      figures: [{ kills: 200 }],
      fullRun: { commit: "abc", passed: true, figures: [{ kills: 2_000 }] },
    });
    expect(lines.find(({ id }) => id === "R34")).toMatchObject({ passed: false, figures: [{ "score, %": 84 }] });
  });

  it("counts no claim as passed of which a test failed, whatever else passed", () => {
    const tests = (...statuses) => statuses.map((status) => ({ status }));
    const claims = [
      { id: "R1", tests: tests("passed", "skipped") },
      { id: "R2", tests: tests("failed", "passed") },
      { id: "R3", tests: tests() },
    ];
    expect(claimsInWords(claims)).toEqual([
      "docs/reliability.md: 1 of 3 claims passed.",
      "Not proved in this run: R2, R3",
    ]);
    expect(claimsInWords(claims.slice(0, 1))).toEqual(["docs/reliability.md: 1 of 1 claims passed."]);
  });

  it("keeps a claim of an earlier full run until the same one is tried again", () => {
    const run = (commit) => ({ date: "2026-01-01", commit, machine: "2 cores" });
    const { assertions } = read(test("R10 R2 a", "passed"), test("R2 b", "skipped"));
    const first = withClaims({}, ["R10", "R3"], assertions, run("one"));
    const second = withClaims(first, ["R2"], assertions, run("two"));
    expect(Object.entries(second).map(([id, { commit, tests }]) => [id, commit, tests.length])).toEqual([
      ["R2", "two", 2],
      ["R10", "one", 1],
    ]);
    expect(JSON.stringify(second)).not.toContain("/x/");
  });
});
