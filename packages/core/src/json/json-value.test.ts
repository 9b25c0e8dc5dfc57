import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValues, unicodeTexts } from "../laws/text-arbitrary.ts";
import { canonicalJson } from "./canonical-json.ts";
import {
  freezeDeep,
  isJsonValue,
  type JsonValue,
  jsonObjectSchema,
  jsonValueSchema,
  MAX_JSON_DEPTH,
  MAX_VALUE_DEPTH,
  textSchema,
  toWellFormedJson,
} from "./json-value.ts";

const deep = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

describe("toWellFormedJson", () => {
  it("returns a well-formed value without a copy", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        expect(toWellFormedJson(value)).toBe(value);
      }),
      { numRuns: 300 },
    );
  });

  it("makes any value acceptable, and is idempotent", () => {
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

  it("drops undefined properties, and repairs a key even if nothing else needs repair", () => {
    expect(Object.keys(toWellFormedJson({ a: 1, none: undefined }) as object)).toEqual(["a"]);
    expect(toWellFormedJson({ "k\ud800": 1 })).toEqual({ "k\ufffd": 1 });
  });

  it("leaves its input unchanged and shares the parts that need no repair", () => {
    const fine = { a: [1] };
    const value = { fine, bad: "\ud800" };
    const clean = toWellFormedJson(value) as { fine: JsonValue };
    expect(value.bad).toBe("\ud800");
    expect(clean.fine).toBe(fine);
  });

  it("cuts ten thousand levels of nesting so that the value can be hashed inside a message", () => {
    const clean = toWellFormedJson(deep(10_000));
    expect(jsonValueSchema.safeParse(clean).success).toBe(true);
    expect(canonicalJson(clean)).toContain("[nested too deeply]");
  });

  it("ends on a cycle", () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    expect(canonicalJson(toWellFormedJson(cyclic))).toContain("[nested too deeply]");
  });

  it("treats __proto__ as an ordinary key and leaves the prototype alone", () => {
    const clean = toWellFormedJson(JSON.parse('{"__proto__":{"admin":"\\ud800"},"x":null}')) as Record<string, unknown>;
    expect(Object.keys(clean)).toEqual(["__proto__", "x"]);
    expect(Object.getPrototypeOf(clean)).toBe(Object.prototype);
    expect(canonicalJson(clean)).toBe('{"__proto__":{"admin":"\ufffd"},"x":null}');
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });
});

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};

describe("isJsonValue", () => {
  it("is true exactly for values that canonical JSON can express", () => {
    const odd = fc.constantFrom<unknown>(
      Number.NaN,
      "\ud800",
      undefined,
      1n,
      () => 1,
      new Date(0),
      new Set([1]),
      /x/,
      Symbol.iterator,
    );
    const anything = fc.oneof(
      jsonValues,
      odd,
      fc.array(fc.oneof(jsonValues, odd)),
      fc.dictionary(fc.string(), fc.oneof(jsonValues, odd)),
    );
    fc.assert(
      fc.property(anything, (value) => {
        expect(isJsonValue(value)).toBe(canBeWritten(value));
      }),
      { numRuns: 300 },
    );
  });

  it("refuses sparse arrays and class instances", () => {
    const sparse = [1, 2, 3];
    delete sparse[1];
    expect(isJsonValue(sparse)).toBe(false);
    expect(isJsonValue({ at: new Date(0) })).toBe(false);
    expect(isJsonValue(new Map([["a", 1]]))).toBe(false);
  });

  it("refuses a lone surrogate in a key, and ignores undefined properties", () => {
    expect([isJsonValue({ a: { "\ud800": 1 } }), isJsonValue({ a: undefined }), isJsonValue([undefined])]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("tells for any depth whether it exceeds the limit", () => {
    const fits = [MAX_JSON_DEPTH, MAX_JSON_DEPTH + 1, 100_000].map((depth) => isJsonValue(nested(depth)));
    expect(fits).toEqual([true, false, false]);
    expect([isJsonValue([[1]], MAX_JSON_DEPTH - 2), isJsonValue([[1]], MAX_JSON_DEPTH - 1)]).toEqual([true, false]);
  });

  it("ends on a cycle", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(isJsonValue(cyclic)).toBe(false);
  });
});

describe("jsonValueSchema", () => {
  it("accepts only values shallow enough to be hashed inside a thread or plan", () => {
    expect(jsonValueSchema.safeParse(nested(MAX_VALUE_DEPTH)).success).toBe(true);
    expect(jsonValueSchema.safeParse(nested(MAX_VALUE_DEPTH + 1)).success).toBe(false);
    expect(() => canonicalJson({ a: [{ b: [{ c: [{ d: [nested(MAX_VALUE_DEPTH)] }] }] }] })).not.toThrow();
  });

  it("returns the same object, including an own __proto__ key", () => {
    const value = JSON.parse('{"__proto__":{"x":1}}');
    expect(jsonValueSchema.parse(value)).toBe(value);
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
  });
});

describe("jsonObjectSchema", () => {
  it.each([[[]], [null], ["{}"], [1], [undefined]])("refuses %j", (value) => {
    expect(jsonObjectSchema.safeParse(value).success).toBe(false);
  });

  it("accepts an empty object", () => {
    expect(jsonObjectSchema.safeParse({}).success).toBe(true);
  });
});

describe("freezeDeep", () => {
  it("returns its argument, deeply frozen", () => {
    const value = { list: [[{ a: 1 }]], none: null, text: "x" };
    expect(freezeDeep(value)).toBe(value);
    expect([value, value.list, value.list[0], value.list[0]?.[0]].every(Object.isFrozen)).toBe(true);
    for (const plain of [undefined, null, 1, "x"]) expect(freezeDeep(plain)).toBe(plain);
  });
});

describe("textSchema", () => {
  it("refuses lone surrogates and accepts pairs", () => {
    expect(["😀", "", "\u0000", "\ud83d", "\ude00\ud83d"].map((text) => textSchema.safeParse(text).success)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

function canBeWritten(value: unknown): boolean {
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
}
