import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { PatternScanner } from "./pattern-scanner.ts";

/** Few letters, so that patterns overlap, repeat and hide in one another. */
const word = (min: number, max: number) =>
  fc.array(fc.constantFrom("a", "b", "/", "é"), { minLength: min, maxLength: max }).map((letters) => letters.join(""));

describe("PatternScanner", () => {
  it("finds exactly what a search of the whole text finds", () => {
    fc.assert(
      fc.property(fc.uniqueArray(word(6, 9), { maxLength: 30 }), word(0, 200), (patterns, text) => {
        const found = [...new PatternScanner(patterns).scan(text)].sort((a, b) => a - b);
        expect(found).toEqual(patterns.flatMap((pattern, id) => (text.includes(pattern) ? [id] : [])));
      }),
    );
  });

  it("gives the same answer at every scan", () => {
    const scanner = new PatternScanner(["src/main.ts", "main.ts"]);
    expect(scanner.scan("see src/main.ts and src/main.ts")).toEqual([0, 1]);
    expect(scanner.scan("nothing here")).toEqual([]);
    expect(scanner.scan("see src/main.ts")).toEqual([0, 1]);
  });

  it("compares one slice per pattern length, however many patterns share a prefix", () => {
    const alike = Array.from({ length: 2_000 }, (_, number) => `src/module-${1_000 + number}.ts`);
    const scanner = new PatternScanner(alike);
    const slice = vi.spyOn(String.prototype, "slice");
    const found = scanner.scan(`${alike[7]} and ${alike[1_999]}`);
    const looked = slice.mock.calls.length;
    slice.mockRestore();
    expect(found).toEqual([7, 1_999]);
    expect(looked).toBe(2);
  });

  it("refuses patterns that are too short to be found", () => {
    expect(() => new PatternScanner(["short"])).toThrow(RangeError);
  });
});
