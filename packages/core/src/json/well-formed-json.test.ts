import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValues, unicodeTexts } from "../laws/text-arbitrary.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type JsonValue, jsonValueSchema } from "./json-value.ts";
import { toWellFormedJson } from "./well-formed-json.ts";

const deep = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

describe("toWellFormedJson", () => {
  it("gives a well-formed value back as it is, without a copy", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        expect(toWellFormedJson(value)).toBe(value);
      }),
      { numRuns: 300 },
    );
  });

  it("makes anything acceptable, once and for all", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSparseArray: true,
          withNullPrototype: true,
          key: unicodeTexts(10),
        }),
        (value) => {
          const clean = toWellFormedJson(value);
          expect(jsonValueSchema.safeParse(clean).success).toBe(true);
          expect(toWellFormedJson(clean)).toBe(clean);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("repairs lone surrogates in texts and keys, and numbers that are not finite", () => {
    const value = { ok: ["a"], "k\ud800": "v\udc00", list: [1, Number.NaN, Number.POSITIVE_INFINITY], none: undefined };
    expect(toWellFormedJson(value)).toEqual({ ok: ["a"], "k\ufffd": "v\ufffd", list: [1, null, null] });
  });

  it("leaves its input as it was and shares what needs no repair", () => {
    const fine = { a: [1] };
    const value = { fine, bad: "\ud800" };
    const clean = toWellFormedJson(value) as { fine: JsonValue };
    expect(value.bad).toBe("\ud800");
    expect(clean.fine).toBe(fine);
  });

  it("cuts nesting of ten thousand levels so that it can be hashed inside a message", () => {
    const clean = toWellFormedJson(deep(10_000));
    expect(jsonValueSchema.safeParse(clean).success).toBe(true);
    expect(canonicalJson(clean)).toContain("[nested too deeply]");
  });

  it("ends on a cycle", () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    expect(canonicalJson(toWellFormedJson(cyclic))).toContain("[nested too deeply]");
  });

  it("keeps __proto__ an ordinary key and the prototype alone", () => {
    const clean = toWellFormedJson(JSON.parse('{"__proto__":{"admin":"\\ud800"},"x":null}')) as Record<string, unknown>;
    expect(Object.keys(clean)).toEqual(["__proto__", "x"]);
    expect(Object.getPrototypeOf(clean)).toBe(Object.prototype);
    expect(canonicalJson(clean)).toBe('{"__proto__":{"admin":"\ufffd"},"x":null}');
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });
});
