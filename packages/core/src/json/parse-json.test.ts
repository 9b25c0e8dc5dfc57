import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValues } from "../laws/index.ts";
import { canonicalJson } from "./canonical-json.ts";
import { parseJson } from "./parse-json.ts";

describe("parseJson", () => {
  it.each([
    ['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}'],
    ['{"k":[],"\\\\n":0}', '{"k":1,"\\nb":2}'],
    ['{"m":[],"ab\\\\":0}', '{"m":1,"ab\\u0000":2}'],
  ])("reads escaped keys as written, even after reading %s", (before, text) => {
    JSON.parse(before);
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  it("reads canonical JSON correctly, whatever was read before", () => {
    const keys = fc.constantFrom("a", "\\", '"', "\n", '\\"', "\\n", '"n', "\u0000", "__proto__", "", "1");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "medium", withCrossShrink: true },
        jsonValues,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(keys, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (given) => {
        const text = canonicalJson(given);
        expect(canonicalJson(parseJson(text))).toBe(text);
        const spaced = JSON.stringify(given, null, 2);
        expect(canonicalJson(parseJson(spaced))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("skips white space wherever JSON allows it, and returns mutable objects", () => {
    const text = '\t{ "\\n" : [ 1 , { } , [ ] ] ,\r\n "b" : null }\n';
    const read = parseJson(text) as Record<string, unknown>;
    expect(read).toEqual({ "\n": [1, {}, []], b: null });
    expect(Object.getOwnPropertyDescriptor(read, "b")).toEqual({
      value: null,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  });

  it("reads long strings, and values of every kind", () => {
    const long = '\\"x\n'.repeat(300_000);
    const text = JSON.stringify({ "\n": long, list: [1.5e-7, true, false, null, {}, [], "", -0.5], "\u2028": {} });
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  it("R27 reads texts of millions of escapes", () => {
    const breaks = "\n".repeat(4_000_000);
    for (const value of [["a", breaks], { [breaks]: 1 }]) {
      const text = JSON.stringify(value);
      expect(JSON.stringify(parseJson(text)) === text).toBe(true);
    }
  });

  it.each(['{"\\n":1', '{"\\n":}', '{"\\n":1}}', '{"\\x":1}', ""])("refuses %s as JSON.parse does", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});
