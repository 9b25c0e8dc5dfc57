import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nestsDeeperThan } from "./foreign-value.ts";

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe("nestsDeeperThan", () => {
  it("agrees with the depth of the parsed value, whatever its strings hold", () => {
    const text = fc.string({ unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", "a") });
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        text,
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(text, tie("node"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree.node, fc.nat(6), (value, limit) => {
        expect(nestsDeeperThan(JSON.stringify(value), limit)).toBe(depthOf(value) > limit);
      }),
      { numRuns: 300 },
    );
  });

  it("treats an unterminated string as running to the end of the text", () => {
    expect(nestsDeeperThan('["[[[[[[', 1)).toBe(false);
  });
});
