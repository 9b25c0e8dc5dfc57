import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { patience, runs } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { type SoakSample, slope, soakFigures, soakProblems } from "./soak-figures.ts";

const ROUNDS = runs(48, 6_000).numRuns;

describe("R31 a process that works on a store for long", () => {
  it("R31 keeps nothing of the threads that it has handled, and no file open (48 sessions)", {
    timeout: patience(120_000, 7_200_000),
  }, async ({ task }) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--expose-gc",
      "--conditions=threadfold-source",
      "--experimental-strip-types",
      "--disable-warning=ExperimentalWarning",
      fileURLToPath(new URL("soak.process.ts", import.meta.url)),
      ...["--rounds", `${ROUNDS}`, "--json"],
    ]);
    const { figures, problems } = JSON.parse(stdout);
    expect(problems).toEqual([]);
    expect(figures).toMatchObject({ rounds: ROUNDS, turns: 12 * ROUNDS, entries: 20 * ROUNDS });
    expect(figures.folds).toBeGreaterThanOrEqual(ROUNDS);
    Object.assign(task.meta, { figures: { backend: "SQLite", ...figures } });
  });

  const samples = (change: (sample: SoakSample, index: number) => Partial<SoakSample> = () => ({})) =>
    Array.from({ length: 24 }, (_, index): SoakSample => {
      const flat = { heapBytes: 2e7, rssBytes: 9e7, openFiles: 20, appendP99Ms: 3, appendCpuMs: 1 };
      const sample = { ...flat, round: 10 * index, minutes: 2 * index };
      return { ...sample, ...change(sample, index) };
    });

  it("R31 is reported when it grows after it has warmed up, and not while it warms up", () => {
    expect(soakProblems(samples())).toEqual([]);
    expect(soakProblems(samples((_, index) => ({ heapBytes: 2e7 + 1e6 * Math.min(index, 8) })))).toEqual([]);
    const growing: readonly [Parameters<typeof samples>[0], string][] = [
      [({ round, heapBytes }) => ({ heapBytes: heapBytes + 5_000 * round }), "heap, bytes a round: 5000"],
      [({ minutes, rssBytes }) => ({ rssBytes: rssBytes + 1.5e6 * minutes }), "resident, MB a minute: 1.5"],
      [(_, index) => ({ openFiles: 20 + index }), "open files: 28, 29"],
      [(_, index) => ({ appendCpuMs: index < 16 ? 1 : 1.5 }), "append CPU, later to earlier: 1.5"],
    ];
    const kept = samples(({ round, heapBytes }, index) => ({ minutes: index, heapBytes: heapBytes + 50_000 * round }));
    expect(soakProblems(kept)).toEqual([expect.stringContaining("heap, bytes a round: 50000")]);
    for (const [change, problem] of growing) {
      const found = soakProblems(samples(change));
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(problem);
    }
    expect(soakProblems([])).not.toEqual([]);
  });

  it("R31 is summed up by the slope of the nearest line", () => {
    expect(slope([])).toBe(0);
    expect(
      slope([
        [1, 3],
        [2, 5],
        [3, 7],
      ]),
    ).toBeCloseTo(2);
    expect(soakFigures(samples(({ minutes }) => ({ rssBytes: 9e7 + 5e5 * minutes })))["resident, MB a minute"]).toBe(
      0.5,
    );
  });
});
