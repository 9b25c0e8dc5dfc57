import { afterEach, describe, expect, it, vi } from "vitest";
import { growthOnQuadrupling, isThorough, patience, runs } from "./runs.ts";

const atScale = (scale: string): void => void vi.stubEnv("THREADFOLD_PROPERTY_SCALE", scale);
afterEach(() => void vi.unstubAllEnvs());

describe("runs", () => {
  it("spec-150 gives the daily figure, the full figure in a full run, and values between for other scales", () => {
    for (const [scale, usual, full] of [
      ["1", 200, 200],
      ["20", 4_000, 2_000],
      ["2", 400, 295],
      ["40", 8_000, 3_895],
      ["0.1", 20, 20],
    ] as const) {
      atScale(scale);
      expect([runs(200).numRuns, runs(200, 2_000).numRuns], scale).toEqual([usual, full]);
      const least = Number(scale) > 1 ? 7_200_000 : 900_000;
      expect([isThorough(), patience(900_000)]).toEqual([Number(scale) > 1, Math.max(least, 900_000 * Number(scale))]);
      expect(patience(1_000)).toBe(least);
    }
  });

  it("gives at least one run, and ignores an invalid scale", () => {
    atScale("0.001");
    expect(runs(5).numRuns).toBe(1);
    for (const nonsense of ["0", "-3", "many", "Infinity"]) {
      atScale(nonsense);
      expect(runs(7, 70).numRuns).toBe(7);
    }
  });
});

describe("the growth of work whose input is four times as long", () => {
  /** Runs work that costs what it says, in microseconds of a clock that only it moves. */
  async function growthOf(cost: (size: number, run: number) => number): Promise<number> {
    let user = 0;
    let run = 0;
    const usage = vi.spyOn(process, "cpuUsage");
    usage.mockImplementation((since) => ({ user: user - (since?.user ?? 0), system: 0 }));
    try {
      return await growthOnQuadrupling(
        (size) => size,
        (size) => (user += cost(size, run++)),
        1_000,
      );
    } finally {
      usage.mockRestore();
    }
  }

  it("is 4 for linear and 16 for quadratic work", async () => {
    expect(await growthOf((size) => size)).toBe(4);
    expect(await growthOf((size) => size ** 2)).toBe(16);
  });

  it("is that of the work when something else took its time in every one of the first rounds", async () => {
    const disturbed = (run: number): number => (run < 30 ? 3 : 1);
    expect(await growthOf((size, run) => size * (size > 1_000 ? disturbed(run) : 1))).toBe(4);
  });
});
