import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachRun } from "./each-run.ts";

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return /[a-z]/.test(sign) ? 1 : /\d/.test(sign) ? 2 : 0;
});

describe("eachRun", () => {
  it("law: finds the same runs as a regular expression, and tells which kinds of characters each contains", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "a1", "7", " ", ".", "é", "字"), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (text, shortest) => {
        const shown: unknown[] = [];
        eachRun(text, KINDS, shortest, (start, end, bits) => shown.push([start, text.slice(start, end), bits]));
        const expected = [...text.matchAll(new RegExp(`[a-z0-9]{${shortest},}`, "g"))].map(({ index, 0: run }) => [
          index,
          run,
          Number(/[a-z]/.test(run)) + 2 * Number(/\d/.test(run)),
        ]);
        expect(shown).toEqual(expected);
      }),
      runs(500),
    );
  });

  it("looks at each character at most twice", () => {
    for (const text of ["a".repeat(5_000), "a ".repeat(2_500), `${"a".repeat(23)} `.repeat(200), " ".repeat(5_000)]) {
      let looks = 0;
      const watched = { length: text.length, charCodeAt: (index: number) => (looks++, text.charCodeAt(index)) };
      eachRun(watched as unknown as string, KINDS, 24, () => undefined);
      expect(looks).toBeLessThanOrEqual(2 * text.length);
    }
  });
});
