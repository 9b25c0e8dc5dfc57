import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { runs } from "../laws/runs.ts";
import { jsonValues, unicodeTexts } from "../laws/text-arbitrary.ts";
import { canonicalForm, canonicalJson, canonicalPieces, toCanonicalValue } from "./canonical-json.ts";
import { type JsonValue, MAX_JSON_DEPTH } from "./json-value.ts";
import { parseJson } from "./parse-json.ts";
import { digestOf, sha256 } from "./sha256.ts";

/** The double with these bits. */
const doubleOf = (bits: bigint): number => new DataView(new BigUint64Array([bits]).buffer).getFloat64(0, true);

/** The samples of the RFC: bits of a double, and how it is written. */
const RFC_NUMBERS: readonly (readonly [string, string])[] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

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
      runs(500),
    );
  });

  it("writes any double as an independent implementation does", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (bits) => {
        const number = doubleOf(bits);
        if (Number.isFinite(number)) expect(canonicalJson([number])).toBe(canonicalize([number]));
      }),
      runs(1_000),
    );
  });

  it.each(RFC_NUMBERS)("RFC 8785, appendix B: %s is %s", (bits, text) => {
    expect(canonicalJson(doubleOf(BigInt(`0x${bits}`)))).toBe(text);
  });

  it("is read back as an equal value and rewritten as the same bytes", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(parseJson(text))).toBe(text);
        expect(parseJson(text)).toEqual(parseJson(JSON.stringify(value)));
      }),
      runs(300),
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
      runs(200),
    );
  });

  it("orders any number of keys by UTF-16 code units", () => {
    const names = fc.uniqueArray(unicodeTexts(3), { maxLength: 40 });
    fc.assert(
      fc.property(names, (keys) => {
        const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
        expect(text).toBe(`{${[...keys].sort().map((key) => `${JSON.stringify(key)}:0`)}}`);
      }),
      runs(200),
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
      "RFC 8785, section 3.2.3",
      { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 },
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    ],
    [
      "RFC 8785, section 3.2.2",
      { numbers: [333333333.33333329, 1e30, 4.5, 0.002, 0.000000000000000000000000001] },
      '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
    ],
  ])("writes %s", (_, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it("omits undefined properties, as JSON does", () => {
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

  const tooDeep = `nesting deeper than ${MAX_JSON_DEPTH} levels`;
  it.each<[string, unknown, string, string]>([
    ["NaN", { a: [Number.NaN] }, "the number NaN", "a.0"],
    ["an infinity", [Number.NEGATIVE_INFINITY], "the number -Infinity", "0"],
    ["a lone surrogate", { a: "\ud800" }, "a lone surrogate", "a"],
    ["a lone surrogate in a key", { "\udfff": 1 }, "a lone surrogate", "\ufffd"],
    ["a function", { f: () => 1 }, "a function", "f"],
    ["a symbol", [Symbol("s")], "a symbol", "0"],
    ["a bigint", { big: 1n }, "a bigint", "big"],
    ["undefined at the top", undefined, "undefined", "the top level"],
    ["a hole", sparse, "undefined", "1"],
    ["a date", { at: new Date(0) }, "an instance of a class", "at"],
    ["a map", { map: new Map([["a", 1]]) }, "an instance of a class", "map"],
    ["bytes", { bytes: new Uint8Array(2) }, "an instance of a class", "bytes"],
    ["NaN after valid values", { a: [true, false, null, "x", {}, []], b: Number.NaN }, "the number NaN", "b"],
    ["a cycle", cyclic, tooDeep, "self.0.self.0.self.0.self.0.self.0.self.0"],
    ["nesting deeper than the limit", nested(MAX_JSON_DEPTH + 1), tooDeep, "0.a.0.a.0.a.0.a.0.a.0.a"],
    ["nesting of a hundred thousand levels", nested(100_000), tooDeep, "a.0.a.0.a.0.a.0.a.0.a.0"],
  ])("refuses %s with a typed error that names problem and position", (_, value, found, where) => {
    for (const write of value === undefined ? [canonicalJson] : [canonicalJson, canonicalForm]) {
      const thrown = capture(() => write(value));
      expect(thrown).toBeInstanceOf(ThreadfoldError);
      expect(thrown).toMatchObject({ code: "INVALID_JSON", details: { found } });
      expect((thrown as Error).message).toBe(`Canonical JSON cannot express ${found} at ${where}.`);
    }
  });

  it("accepts values as deep as the limit", () => {
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

describe("canonicalPieces", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `message-${index}`);

  it("join to the text of the value, with long lists of texts as separate pieces", () => {
    const list = Object.freeze(ids(300));
    const value = { summary: { span: list, title: "two \0 of them" }, span: list, few: ids(3) };
    const pieces = canonicalPieces(value);
    expect(pieces.join("")).toBe(canonicalJson(value));
    const alone = JSON.stringify(list).slice(0, -1);
    expect(pieces.filter((piece) => piece === alone)).toHaveLength(2);
    expect(canonicalPieces({ few: ids(3) })).toEqual([canonicalJson({ few: ids(3) })]);
  });

  it("join to the text of any value, whatever parts are long", () => {
    const long = fc.constantFrom<unknown>(ids(256), ids(255), [...ids(256), 1], [ids(256), ids(257)], "\0".repeat(300));
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), long), { maxLength: 6 }), (values) => {
        expect(canonicalPieces(values).join("")).toBe(canonicalJson(values));
        expect(digestOf(values)).toBe(sha256(canonicalJson(values)));
      }),
      runs(200),
    );
  });

  it("throw for the same values as canonicalJson", () => {
    expect(() => canonicalPieces({ ids: ids(300), count: Number.NaN })).toThrow("the number NaN at count");
    expect(() => canonicalPieces([...ids(300), "\ud800"])).toThrow("a lone surrogate at 300");
  });
});

describe("canonicalForm", () => {
  it("reports that JSON.stringify writes the canonical text, unless a key begins with a digit", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const { value: form, stringifies } = canonicalForm(value);
        expect(form).toEqual(value);
        if (stringifies) expect(JSON.stringify(form)).toBe(canonicalJson(value));
      }),
      runs(200),
    );
    for (const value of [7, "x", null, [1, { a: 1 }], { b: 1, a: [{ c: 2 }] }, {}, { "": 1 }, { " 1": 1, ":": 2 }])
      expect(canonicalForm(value).stringifies).toBe(true);
    for (const value of [{ 10: "a", 9: "b" }, { 0: 1 }, { 9: 1 }, [{ a: { 1: 2 } }]])
      expect(canonicalForm(value).stringifies).toBe(false);
  });
});

describe("toCanonicalValue", () => {
  it("serializes like a value read back from canonical JSON", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        expect(JSON.stringify(toCanonicalValue(value))).toBe(JSON.stringify(JSON.parse(canonicalJson(value))));
      }),
      { numRuns: 300 },
    );
  });

  it("changes no values, and nothing in an ordered value", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const ordered = toCanonicalValue(value);
        expect(ordered).toEqual(value);
        expect(JSON.stringify(toCanonicalValue(ordered))).toBe(JSON.stringify(ordered));
      }),
      { numRuns: 300 },
    );
  });

  it("returns the same object if it is in order", () => {
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

  it("accepts the maximum depth, and ignores a malformed key of an undefined property", () => {
    const deepest = nested(MAX_JSON_DEPTH);
    expect(toCanonicalValue(deepest)).toBe(deepest);
    expect(() => toCanonicalValue(nested(MAX_JSON_DEPTH + 1))).toThrowError(
      expect.objectContaining({ code: "INVALID_JSON" }),
    );
    expect(() => toCanonicalValue({ "\ud800": undefined })).not.toThrow();
  });

  it("freezes the result deeply", () => {
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
  ])("refuses %s with the same error as canonicalJson", (_name, value) => {
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
