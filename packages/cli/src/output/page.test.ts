import { cpuTimeMs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isColourful, painter, plainJson, plainText, singleLine } from "./page.ts";

const hostile = fc.string({
  unit: fc.constantFrom("a", " ", "\n", "\t", "\u001b[2J", "\u0007", "\u202e", "\ud800", "\u009b", "é", "😀"),
  maxLength: 80,
});

describe("plainText", () => {
  it("spells out what would move the cursor, ring or turn the text around", () => {
    expect(plainText("a\u001b[31mb\u0007\u202ec\rd")).toBe("a\\x1b[31mb\\x07\\x202ec\\x0dd");
    expect(plainText("a\u2028b\ufffbc\u{e0041}d")).toBe("a\\x2028b\\xfffbc\\xe0041d");
    expect(plainText("two\nlines\tand é 😀")).toBe("two\nlines\tand é 😀");
  });

  it("leaves no control character in anything", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(plainText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
      { numRuns: 300 },
    );
  });
});

describe("plainJson", () => {
  it("says the same as the JSON that it is given, and has no control character or mark of direction in it", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = plainJson(JSON.stringify({ [text]: [text, 1] }));
        expect(JSON.parse(json)).toEqual({ [text]: [text, 1] });
        expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 300 },
    );
    expect(JSON.parse(plainJson('"\u{e0041}\u2029"'))).toBe("\u{e0041}\u2029");
  });
});

describe("singleLine", () => {
  it("is one line of well-formed text, no longer than asked for", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, most) => {
        const line = singleLine(text, most);
        expect(line).not.toContain("\n");
        expect(line.length).toBeLessThanOrEqual(most);
      }),
      { numRuns: 300 },
    );
  });

  it("marks what was cut off, also where only white space is left of the beginning", () => {
    expect(singleLine("short", 10)).toBe("short");
    expect(singleLine("a longer text", 9)).toBe("a longer…");
    expect(singleLine(`${" ".repeat(100)}x`, 10)).toBe("…");
  });

  it("does not look at all of a long text", () => {
    const started = cpuTimeMs();
    expect(singleLine(" ".repeat(20_000_000), 50)).toBe("…");
    expect(cpuTimeMs() - started).toBeLessThan(200);
  });
});

describe("isColourful", () => {
  const cases: readonly [Record<string, string>, boolean, boolean][] = [
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ TERM: "dumb" }, true, false],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ FORCE_COLOR: "false" }, true, false],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true, true],
    [{ FORCE_COLOR: "1", TERM: "dumb" }, false, true],
  ];
  it.each(cases)("with %j and a terminal: %s, gives %s", (env, isTTY, expected) => {
    expect(isColourful(env, isTTY)).toBe(expected);
  });
});

describe("painter", () => {
  it("marks text or leaves it alone", () => {
    expect(painter(true)("red", "x")).toBe("\u001b[31mx\u001b[39m");
    expect(painter(false)("red", "x")).toBe("x");
  });
});
