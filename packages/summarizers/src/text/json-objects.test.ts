import { parseJson } from "@threadfold/core";
import { cpuTimeMs, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonObjects } from "./json-objects.ts";

describe("jsonObjects", () => {
  it("finds every JSON object amid prose without braces, whatever its content", () => {
    const prose = fc.string({ maxLength: 20 }).map((text) => text.replace(/[{}"\\]/g, ""));
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(fc.tuple(prose, object), { maxLength: 4 }), prose, (parts, last) => {
        const text = parts.map(([before, value]) => `${before}a ${JSON.stringify(value)}`).join("") + last;
        expect(jsonObjects(text)).toEqual(parts.map(([, value]) => parseJson(JSON.stringify(value))));
      }),
      runs(200),
    );
  });

  it("reads every key as written, whatever was read before (nodejs/node#63785)", () => {
    expect(jsonObjects('{"h":[],"\\\\":0}')).toEqual([{ h: [], "\\": 0 }]);
    expect(jsonObjects('{"h":1,"\\"":2}')).toEqual([{ h: 1, '"': 2 }]);
  });

  it("reads hostile text in the time of a few passes", () => {
    for (const piece of ["{", '{"', "{}", '{"a":', "}{", "[{"]) {
      const start = cpuTimeMs();
      jsonObjects(piece.repeat(100_000));
      expect(cpuTimeMs() - start).toBeLessThan(2_000);
    }
  });
});
