import { hostileTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mediaMarker, singleLine, truncateMiddle } from "./result-lines.ts";

describe("truncateMiddle", () => {
  it("keeps both ends, says how much is left out, never grows the text and never splits a surrogate pair", () => {
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

  it("leaves a text whole if truncation saves little, and keeps the requested number of characters", () => {
    const keep = { headCharacters: 3, tailCharacters: 2 };
    const text = (length: number) => `abc${"x".repeat(length - 5)}yz`;
    expect(truncateMiddle(text(45), keep)).toBe(text(45));
    expect(truncateMiddle(text(46), keep)).toBe("abc\n[… 41 characters left out …]\nyz");
    expect(truncateMiddle(text(46), { headCharacters: 3, tailCharacters: 0 })).toBe(
      "abc\n[… 43 characters left out …]",
    );
    expect(truncateMiddle(text(46), { headCharacters: 0, tailCharacters: 2 })).toBe("[… 44 characters left out …]\nyz");
  });

  it("does not split an emoji", () => {
    const shown = truncateMiddle("🚀".repeat(100), { headCharacters: 3, tailCharacters: 3 });
    expect(shown).toBe("🚀\n[… 196 characters left out …]\n🚀");
    // Signs next to those of a pair are characters of their own.
    const signs = (sign: string) => truncateMiddle(sign.repeat(60), { headCharacters: 1, tailCharacters: 1 });
    for (const sign of ["\ud7ff", "\ue000", "\uffff"])
      expect(signs(sign)).toBe(`${sign}\n[… 58 characters left out …]\n${sign}`);
    expect(truncateMiddle(`\ue000${"x".repeat(60)}\u{10FFFF}`, { headCharacters: 1, tailCharacters: 2 })).toBe(
      "\ue000\n[… 60 characters left out …]\n\u{10FFFF}",
    );
  });

  it("names an image or a file with its known media type and name in the marker", () => {
    const source = { kind: "url", url: "https://example.com/a", mediaType: "image/png" } as const;
    expect(mediaMarker({ type: "image", source, name: "a\nb.png" }, "cleared").text).toBe(
      "[image cleared: image/png, a b.png]",
    );
    expect(mediaMarker({ type: "file", source: { kind: "url", url: "x" } }, "left out").text).toBe("[file left out]");
    expect(mediaMarker({ type: "image", source, name: "x".repeat(81) }, "cleared").text).toBe(
      `[image cleared: image/png, ${"x".repeat(80)}…]`,
    );
  });
});

describe("singleLine", () => {
  it("replaces invisible and direction-changing characters", () => {
    expect(singleLine("a\u009b2Jb\u202egpj.exe\u2066c\u200ed\u061ce\ufefff", 40)).toBe("a 2Jb gpj.exe c d e f");
    expect(singleLine("नमस्\u200dते", 40)).toBe("नमस्\u200dते");
  });

  it("returns one short, well-formed line", () => {
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
