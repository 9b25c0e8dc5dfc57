import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countedLimits } from "./call-shares.ts";
import { binsOf, callAt, placeOf, stackPaths, stepPath, ticks } from "./stack.ts";

const figures = fc.array(fc.nat(200_000), { minLength: 1, maxLength: 400 });

describe("binsOf", () => {
  it("shows the largest call of every column, and finds the column of each call", () => {
    fc.assert(
      fc.property(figures, fc.integer({ min: 1, max: 500 }), (tokens, most) => {
        const span = { first: 0, count: tokens.length };
        const bins = binsOf(tokens, span, most);
        expect(bins.peaks.length).toBeLessThanOrEqual(most);
        expect(Math.max(...bins.peaks.map((call) => tokens[call] ?? 0))).toBe(Math.max(...tokens));
        tokens.forEach((one, call) => {
          const peak = callAt(bins, placeOf(bins, span, call));
          expect(Math.floor(peak / bins.calls)).toBe(Math.floor(call / bins.calls));
          expect(tokens[peak]).toBeGreaterThanOrEqual(one);
        });
      }),
    );
  });

  it("takes only the calls of a span", () => {
    expect(binsOf([9, 1, 2, 3], { first: 1, count: 3 }, 10)).toEqual({ calls: 1, peaks: [1, 2, 3] });
  });
});

describe("paths", () => {
  const bins = { calls: 1, peaks: [0, 1] };
  const area = { width: 4, height: 10, top: 10 };

  it("stack series on top of each other, and leave out empty ones", () => {
    expect(
      stackPaths(
        [
          [4, 0],
          [6, 5],
        ],
        bins,
        area,
      ),
    ).toEqual(["M0.0 10.0H2.0V6.0H0.0z", "M0.0 6.0H2.0V0.0H0.0zM2.0 10.0H4.0V5.0H2.0z"]);
  });

  it("step over the columns, and break where there is no figure", () => {
    expect(stepPath([8, null], bins, area)).toBe("M0.0 2.0H2.0");
    expect(stepPath([8, 4], bins, area)).toBe("M0.0 2.0H2.0V6.0H4.0");
  });
});

it("ticks are round, start at zero and stay within the largest value", () => {
  expect(ticks(47_000, 5)).toEqual([0, 10_000, 20_000, 30_000, 40_000]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (top) => {
      const all = ticks(top, 5);
      expect(all.length).toBeLessThanOrEqual(6);
      expect(all.at(-1)).toBeLessThanOrEqual(top);
    }),
  );
});

describe("countedLimits", () => {
  it("puts the provider's limit where the columns, which are counted otherwise, would reach it", () => {
    const calls = { limit: [1_000, 1_000, null], tokens: [1_200, 300, 300], estimated: [600, 300, 150] };
    expect(countedLimits(calls as unknown as Parameters<typeof countedLimits>[0])).toEqual([2_000, 1_000, null]);
  });
});
