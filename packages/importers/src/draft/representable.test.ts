import { isJsonValue, toWellFormedJson } from "@threadfold/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRepresentable } from "./representable.ts";

const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

describe("isRepresentable", () => {
  it("accepts what core takes and what core's repair leaves alone, and nothing else", () => {
    const values = fc.anything({
      withBigInt: false,
      withDate: false,
      values: [fc.string({ unit: "binary" }), fc.double(), fc.boolean()],
    });
    fc.assert(
      fc.property(values, (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value, (_key, item) => item) ?? "null");
        if (isRepresentable(json)) expect(isJsonValue(json) && toWellFormedJson(json) === json).toBe(true);
        else expect(toWellFormedJson(json)).not.toBe(json);
      }),
      { numRuns: 100 },
    );
  });

  it("refuses lone surrogates in texts and keys, numbers out of range and deep nesting", () => {
    for (const text of ['"\\ud800"', '{"\\udc00":1}', "1e999", "[-1e999]"])
      expect(isRepresentable(JSON.parse(text))).toBe(false);
    expect(isRepresentable(deep(496))).toBe(true);
    expect(isRepresentable(deep(497))).toBe(false);
    expect(isRepresentable(deep(10_000))).toBe(false);
  });
});
