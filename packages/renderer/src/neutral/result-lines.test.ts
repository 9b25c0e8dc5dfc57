import { hostileTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { singleLine, truncateMiddle } from "./result-lines.ts";

describe("truncateMiddle", () => {
  it("keeps beginning and end, says how much is left out, never grows and never cuts a pair", () => {
    fc.assert(
      fc.property(hostileTexts, fc.nat(80), fc.nat(80), (text, headCharacters, tailCharacters) => {
        const shown = truncateMiddle(text, { headCharacters, tailCharacters });
        expect(shown.isWellFormed()).toBe(true);
        if (shown === text) return;
        expect(shown.length).toBeLessThanOrEqual(text.length);
        const [, left] = /\[… (\d+) characters left out …\]/.exec(shown) ?? [];
        const [head, tail] = shown.split(`[… ${left} characters left out …]`) as [string, string];
        const kept = head.replace(/\n$/, "").length + tail.replace(/^\n/, "").length;
        expect(Number(left) + kept).toBe(text.length);
        expect(text.startsWith(head.replace(/\n$/, "")) && text.endsWith(tail.replace(/^\n/, ""))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("does not split an emoji", () => {
    const shown = truncateMiddle("🚀".repeat(100), { headCharacters: 3, tailCharacters: 3 });
    expect(shown).toBe("🚀\n[… 196 characters left out …]\n🚀");
  });
});

describe("singleLine", () => {
  it("shows no sign that nobody sees: a name cannot turn the line round or hide a part of it", () => {
    expect(singleLine("a\u009b2Jb\u202egpj.exe\u2066c\u200ed\u061ce\ufefff", 40)).toBe("a 2Jb gpj.exe c d e f");
    expect(singleLine("नमस्\u200dते", 40)).toBe("नमस्\u200dते");
  });

  it("gives one short, well-formed line", () => {
    fc.assert(
      fc.property(hostileTexts, fc.integer({ min: 1, max: 50 }), (text, max) => {
        const line = singleLine(text, max);
        expect(line).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(line.length).toBeLessThanOrEqual(max + 1);
        expect(line.isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
