import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValues } from "../laws/index.ts";
import { canonicalJson, toCanonicalValue } from "./canonical-json.ts";
import { MAX_JSON_DEPTH } from "./json-value.ts";

describe("toCanonicalValue", () => {
  it("serializes as what comes back from canonical JSON", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        expect(JSON.stringify(toCanonicalValue(value))).toBe(JSON.stringify(JSON.parse(canonicalJson(value))));
      }),
      { numRuns: 300 },
    );
  });

  it("changes no value, and nothing that is in order", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const ordered = toCanonicalValue(value);
        expect(ordered).toEqual(value);
        expect(JSON.stringify(toCanonicalValue(ordered))).toBe(JSON.stringify(ordered));
      }),
      { numRuns: 300 },
    );
  });

  it("gives back the very value when it is in order", () => {
    for (const value of [
      { a: [{ b: 1, c: "x" }, null], d: {} },
      { "": 1, A: 2, a: true },
      { a: undefined, b: 1 },
    ])
      expect(toCanonicalValue(value)).toBe(value);
  });

  it("orders nested keys, array indices first, and keeps own __proto__ keys", () => {
    const value = JSON.parse('{"b":[{"z":1,"y":2}],"a":{"10":1,"9":2},"__proto__":{"x":1}}');
    expect(JSON.stringify(toCanonicalValue(value))).toBe(
      '{"__proto__":{"x":1},"a":{"9":2,"10":1},"b":[{"y":2,"z":1}]}',
    );
  });

  it("takes what is as deep as JSON may be, and a broken key of nothing", () => {
    const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
    const deepest = nested(MAX_JSON_DEPTH);
    expect(toCanonicalValue(deepest)).toBe(deepest);
    expect(() => toCanonicalValue(nested(MAX_JSON_DEPTH + 1))).toThrowError(
      expect.objectContaining({ code: "INVALID_JSON" }),
    );
    expect(() => toCanonicalValue({ "\ud800": undefined })).not.toThrow();
  });

  it("freezes all of it", () => {
    const value = toCanonicalValue({ b: [{ z: 1, y: 2 }], a: {} });
    expect([value, value.b, value.b[0], value.a].every(Object.isFrozen)).toBe(true);
  });

  it.each([
    ["a function", { a: () => 1 }],
    ["NaN", { a: [Number.NaN] }],
    ["a lone surrogate", { a: "\ud800" }],
    ["a lone surrogate in a key", { "\ud800": 1 }],
    ["a date", { a: new Date(0) }],
    ["a hole", { a: new Array(2) }],
    ["a bigint", { a: 1n }],
  ])("refuses %s, as canonical JSON does, and says where", (_name, value) => {
    const refusal = (work: () => unknown) => {
      try {
        return work();
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refusal(() => toCanonicalValue(value))).toBe(refusal(() => canonicalJson(value)));
    expect(() => toCanonicalValue(value)).toThrowError(expect.objectContaining({ code: "INVALID_JSON" }));
  });
});
