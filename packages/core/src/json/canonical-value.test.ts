import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValues } from "../laws/index.ts";
import { canonicalJson } from "./canonical-json.ts";
import { toCanonicalOrder } from "./canonical-order.ts";

describe("toCanonicalOrder", () => {
  it("serializes as what comes back from canonical JSON", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        expect(JSON.stringify(toCanonicalOrder(value))).toBe(JSON.stringify(JSON.parse(canonicalJson(value))));
      }),
      { numRuns: 300 },
    );
  });

  it("changes no value, and nothing that is in order", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const ordered = toCanonicalOrder(value);
        expect(ordered).toEqual(value);
        expect(JSON.stringify(toCanonicalOrder(ordered))).toBe(JSON.stringify(ordered));
      }),
      { numRuns: 300 },
    );
  });

  it("gives back the very value when it is in order", () => {
    const value = { a: [{ b: 1, c: "x" }, null], d: {} };
    expect(toCanonicalOrder(value)).toBe(value);
  });

  it("orders nested keys, array indices first, and keeps own __proto__ keys", () => {
    const value = JSON.parse('{"b":[{"z":1,"y":2}],"a":{"10":1,"9":2},"__proto__":{"x":1}}');
    expect(JSON.stringify(toCanonicalOrder(value))).toBe(
      '{"__proto__":{"x":1},"a":{"9":2,"10":1},"b":[{"y":2,"z":1}]}',
    );
  });
});
