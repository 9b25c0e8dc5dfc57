import { describe, expect, it } from "vitest";
import { growthExponent } from "./growth-exponent.ts";

const SIZES = [1_000, 10_000, 100_000];

describe("growthExponent", () => {
  it.each([0, 0.5, 1, 2])("finds the power %d", (power) => {
    const points = SIZES.map((size) => ({ size, cost: 7 * size ** power }));
    expect(growthExponent(points)).toBeCloseTo(power, 9);
  });

  it("says nothing of one size alone", () => {
    expect(growthExponent([])).toBeNull();
    expect(growthExponent([{ size: 1_000, cost: 3 }])).toBeNull();
    expect(
      growthExponent([
        { size: 1_000, cost: 3 },
        { size: 1_000, cost: 4 },
      ]),
    ).toBeNull();
  });
});
