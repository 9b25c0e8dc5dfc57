import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Calibration,
  calibratedTokenizer,
  learnedFactor,
  NO_CALIBRATION,
  observeUsage,
  parseCalibration,
} from "./calibration.ts";
import { heuristicTokenizer } from "./load-tokenizer.ts";

const observe = (calibration: Calibration, countedTokens: number, reportedTokens: number): Calibration =>
  observeUsage(calibration, { model: "m", countedTokens, reportedTokens });
const factor = (calibration: Calibration): number => learnedFactor(calibration, "m").factor;

const anyFigure = fc.oneof(
  fc.integer({ min: -10, max: 1_000_000 }),
  fc.constantFrom(0, -1, Number.NaN, Infinity, 1e300),
);

describe("calibration", () => {
  it("moves to what is reported, at most a tenth at a time (S36)", () => {
    let calibration = observe(NO_CALIBRATION, 10_000, 13_000);
    expect(factor(calibration)).toBe(1.1);
    calibration = observe(observe(observe(calibration, 10_000, 13_000), 10_000, 13_000), 10_000, 13_000);
    expect(factor(calibration)).toBe(1.3);
    expect(learnedFactor(calibration, "m").observations).toBe(4);
  });

  it.each([
    ["nothing counted", 0, 5_000],
    ["nothing reported", 5_000, 0],
    ["not a number", Number.NaN, 5_000],
    ["infinite", 5_000, Infinity],
    ["five times too high", 1_000, 5_000],
    ["five times too low", 5_000, 1_000],
  ])("learns nothing from a report with %s (S36)", (_, counted, reported) => {
    expect(observe(NO_CALIBRATION, counted, reported)).toBe(NO_CALIBRATION);
  });

  it("stays within its bounds and takes bounded steps, whatever is reported (S36)", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyFigure, anyFigure), { maxLength: 40 }), (reports) => {
        let calibration: Calibration = NO_CALIBRATION;
        for (const [counted, reported] of reports) {
          const before = factor(calibration);
          calibration = observe(calibration, counted, reported);
          const after = factor(calibration);
          expect(after).toBeGreaterThanOrEqual(0.5);
          expect(after).toBeLessThanOrEqual(2);
          expect(Math.abs(after - before)).toBeLessThanOrEqual(before * 0.1 + 1e-9);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("learns per model, and a model may be named __proto__", () => {
    const calibration = observeUsage(NO_CALIBRATION, { model: "other", countedTokens: 100, reportedTokens: 150 });
    expect(factor(calibration)).toBe(1);
    expect(learnedFactor(NO_CALIBRATION, "constructor").factor).toBe(1);
  });

  it("is plain JSON", () => {
    const calibration = observe(NO_CALIBRATION, 10_000, 8_000);
    expect(parseCalibration(JSON.parse(JSON.stringify(calibration)))).toEqual(calibration);
  });

  it.each([null, [], 3, { m: { factor: 3, observations: 1 } }, { m: { factor: 1, observations: -1 } }, { m: null }])(
    "refuses %j",
    (value) => {
      expect(() => parseCalibration(value)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    },
  );

  it("gives a counter whose id names the factor", () => {
    const calibration = observe(NO_CALIBRATION, 1_000, 2_000);
    const tokenizer = calibratedTokenizer(heuristicTokenizer(), calibration, "m");
    expect(tokenizer.id).toBe("heuristic×1.10");
    expect(tokenizer.countTokens("x".repeat(400))).toBe(110);
  });
});
