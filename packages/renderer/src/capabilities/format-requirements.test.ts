import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptedName, acceptedToolName } from "./format-requirements.ts";

const RULE = { refused: /[^a-zA-Z0-9_-]/, maxLength: 40 };

describe("acceptedName", () => {
  it("returns an accepted name, always the same one, and leaves accepted names unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (name) => {
        const accepted = acceptedName(name, RULE);
        expect(accepted).toMatch(/^[a-zA-Z0-9_-]{0,40}$/);
        expect(acceptedName(name, RULE)).toBe(accepted);
        expect(acceptedName(accepted, RULE)).toBe(accepted);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps long names with the same beginning distinct", () => {
    const [a, b] = ["1", "2"].map((end) => acceptedName(`${"x".repeat(60)}${end}`, RULE));
    expect(a).not.toBe(b);
    expect(a).toHaveLength(40);
  });

  it("never cuts a character in two", () => {
    const anyCharacter = { refused: null, maxLength: 40 };
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 20, maxLength: 80 }), (name) => {
        const accepted = acceptedName(name, anyCharacter);
        expect([accepted.isWellFormed(), accepted.length <= 40]).toEqual([true, true]);
        expect(acceptedName(accepted, anyCharacter)).toBe(accepted);
      }),
      { numRuns: 300 },
    );
    expect(acceptedName("😀".repeat(21), anyCharacter)).toMatch(/^(?:😀){15}-[0-9a-f]{8}$/u);
  });

  it("prefixes an underscore when the first character is not accepted", () => {
    const rule = { refused: /[^a-z0-9_]/, maxLength: 6, refusedStart: /^[^a-z_]/ };
    expect(["7z", "-z", "az"].map((name) => acceptedName(name, rule))).toEqual(["_7z", "_z", "az"]);
  });

  it("gives an unnamed tool a name when the format needs one", () => {
    expect(acceptedToolName("", RULE)).toBe("unnamed_tool");
    expect(acceptedToolName("", { refused: null, maxLength: null })).toBe("");
  });
});
