import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { jsonValues, unicodeTexts } from "../laws/text-arbitrary.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type JsonValue, MAX_JSON_DEPTH } from "./json-value.ts";

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

describe("canonicalJson", () => {
  it("writes what an independent implementation of RFC 8785 writes", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 500 },
    );
  });

  it("reads back as an equal value, and writes the same bytes again", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 300 },
    );
  });

  it("does not depend on the order of keys", () => {
    const pairs = fc.uniqueArray(fc.tuple(unicodeTexts(4), jsonValues), { selector: ([key]) => key, maxLength: 8 });
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.nat()), (list, picks) => {
        const shuffled = list
          .map((pair) => ({ pair, rank: picks.next().value as number }))
          .sort((a, b) => a.rank - b.rank);
        expect(canonicalJson(Object.fromEntries(shuffled.map(({ pair }) => pair)))).toBe(
          canonicalJson(Object.fromEntries(list)),
        );
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, JsonValue, string]>([
    ["minus zero", -0, "0"],
    ["the first number in exponent form", 1e21, "1e+21"],
    ["the last number without exponent", 1e20, "100000000000000000000"],
    ["the smallest number", 5e-324, "5e-324"],
    ["a small number", 1e-7, "1e-7"],
    ["an integer of 53 bits", 9007199254740993, "9007199254740992"],
    ["control characters and quotes", '\u0000\u001f"\\\u2028', '"\\u0000\\u001f\\"\\\\\u2028"'],
    [
      "keys by UTF-16 code units, not code points",
      { "\ufb33": 1, "\ud83d\ude00": 2, "10": 3, "9": 4, "": 5 },
      '{"":5,"10":3,"9":4,"😀":2,"\ufb33":1}',
    ],
    [
      "RFC 8785, section 3.2.2",
      { numbers: [333333333.33333329, 1e30, 4.5, 0.002, 0.000000000000000000000000001] },
      '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
    ],
  ])("writes %s", (_, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it("leaves out properties that are undefined, as JSON does", () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  });

  it("writes an own __proto__ key and never the prototype", () => {
    const value = JSON.parse('{"__proto__":{"admin":true},"a":1}') as JsonValue;
    expect(canonicalJson(value)).toBe('{"__proto__":{"admin":true},"a":1}');
    expect(canonicalJson(Object.create(null))).toBe("{}");
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  const cyclic: { self?: unknown } = {};
  cyclic.self = [cyclic];
  const sparse = [1, 2, 3];
  delete sparse[1];

  it.each<[string, unknown, string]>([
    ["NaN", { a: [Number.NaN] }, "a.0"],
    ["an infinity", [Number.NEGATIVE_INFINITY], "0"],
    ["a lone surrogate", { a: "\ud800" }, "a"],
    ["a lone surrogate in a key", { "\udfff": 1 }, "\ufffd"],
    ["a function", { f: () => 1 }, "f"],
    ["a symbol", [Symbol("s")], "0"],
    ["a bigint", { big: 1n }, "big"],
    ["undefined at the top", undefined, "the top level"],
    ["a hole", sparse, "1"],
    ["a date", { at: new Date(0) }, "at"],
    ["a map", { map: new Map([["a", 1]]) }, "map"],
    ["bytes", { bytes: new Uint8Array(2) }, "bytes"],
    ["a cycle", cyclic, "self.0.self.0"],
    ["nesting below the limit", nested(MAX_JSON_DEPTH + 1), "a"],
    ["nesting of a hundred thousand levels", nested(100_000), "a"],
  ])("refuses %s with a typed error that says where", (_, value, where) => {
    const thrown = capture(() => canonicalJson(value));
    expect(thrown).toBeInstanceOf(ThreadfoldError);
    expect(thrown).toMatchObject({ code: "INVALID_JSON" });
    expect((thrown as Error).message).toContain(where);
  });

  it("takes values as deep as the limit", () => {
    expect(canonicalJson(nested(MAX_JSON_DEPTH))).toBe(JSON.stringify(nested(MAX_JSON_DEPTH)));
  });

  it("writes plain objects of another realm", async () => {
    const { runInNewContext } = await import("node:vm");
    expect(canonicalJson(runInNewContext("({ b: [1], a: {} })"))).toBe('{"a":{},"b":[1]}');
  });
});

function capture(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
