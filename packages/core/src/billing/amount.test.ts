import { describe, expect, it } from "vitest";
import type { ModelRow } from "../providers/models.ts";
import { amountOf, dollarsFor, dollarsOf, totalOf } from "./amount.ts";

/** Three dollars for a million tokens of input, fifteen for output; above 200 000 twice and one and a half times as much. */
const row: ModelRow = {
  ...{ name: "example", windowTokens: 1_000_000, asOf: "2026-11", source: "example.com" },
  ...{ inputPrice: 3, outputPrice: 15 },
  longPrompts: { aboveTokens: 200_000, inputFactor: 2, outputFactor: 1.5 },
};
const { longPrompts: _longPrompts, ...flat } = row;
const { outputPrice: _outputPrice, ...inputOnly } = row;
const { inputPrice: _inputPrice, ...outputOnly } = row;

describe("amountOf", () => {
  it("multiplies input tokens by the price per million", () => {
    expect(amountOf(1_000_000, row, 1_000)).toEqual({ bill: 1_000_000, dollars: 3 });
    expect(amountOf(500_000, flat, 900_000)).toEqual({ bill: 500_000, dollars: 1.5 });
    expect(amountOf(0, row, 0)).toEqual({ bill: 0, dollars: 0 });
  });

  it("charges the higher price above, but not at, the long-prompt length", () => {
    expect(amountOf(1_000_000, row, 200_000).dollars).toBe(3);
    expect(amountOf(1_000_000, row, 200_001).dollars).toBe(6);
  });

  it("gives null dollars without a price, but still the tokens", () => {
    expect(amountOf(700, undefined, 700)).toEqual({ bill: 700, dollars: null });
    expect(amountOf(700, outputOnly, 700)).toEqual({ bill: 700, dollars: null });
  });

  it("gives zero dollars, not null, for a free model", () => {
    expect(amountOf(700, { ...row, inputPrice: 0 }, 700)).toEqual({ bill: 700, dollars: 0 });
  });
});

describe("dollarsFor", () => {
  it("adds the price of input and output", () => {
    expect(dollarsFor(1_000_000, 100_000, row, 1_000)).toBe(4.5);
  });

  it("raises input and output prices of a long prompt, each by its own factor", () => {
    expect(dollarsFor(1_000_000, 100_000, row, 200_000)).toBe(4.5);
    expect(dollarsFor(1_000_000, 100_000, row, 200_001)).toBe(8.25);
  });

  it("is null unless both prices are known", () => {
    expect(dollarsFor(1_000, 10, undefined, 1_000)).toBeNull();
    expect(dollarsFor(1_000, 10, inputOnly, 1_000)).toBeNull();
    expect(dollarsFor(1_000, 10, outputOnly, 1_000)).toBeNull();
  });
});

describe("totalOf", () => {
  it("adds amounts up, with null dollars if any of them has none", () => {
    const [one, two, unknown] = [amountOf(1, flat, 1), amountOf(2, flat, 2), amountOf(4, undefined, 4)];
    expect(totalOf([])).toEqual({ bill: 0, dollars: 0 });
    expect(totalOf([one, two])).toEqual({ bill: 3, dollars: 0.000009 });
    for (const amounts of [
      [unknown, one, two],
      [one, unknown, two],
      [one, two, unknown],
    ])
      expect(totalOf(amounts)).toEqual({ bill: 7, dollars: null });
    expect(dollarsOf([{ dollars: 1.5 }, { dollars: 2 }])).toBe(3.5);
  });
});
