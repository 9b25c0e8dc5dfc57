import { hostileTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textEnds } from "./show-unread.ts";

/** A letter outside of ASCII is a token, of the others four make one. */
const countTokens = (text: string): number => {
  const wide = text.match(/[^\p{ASCII}]/gu)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
};

const texts = fc
  .tuple(
    fc.array(fc.oneof(hostileTexts, fc.constantFrom("日本語\n", "🚀🚀", "a line of a log\n", "x".repeat(300))), {
      minLength: 1,
    }),
    fc.integer({ min: 1, max: 60 }),
  )
  .map(([pieces, times]) => pieces.join("").repeat(times));

describe("textEnds", () => {
  it("keeps a beginning and an end within the room, no half of a character, and says what is between", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 2_000 }), (text, tokens) => {
        const whole = countTokens(text);
        fc.pre(whole > tokens);
        const ends = textEnds(text, whole, tokens, countTokens);
        if (ends === null) {
          expect(tokens).toBeLessThan(40);
          return;
        }
        const head = text.slice(0, ends.headCharacters);
        const tail = text.slice(text.length - ends.tailCharacters);
        expect(ends.headCharacters + ends.tailCharacters).toBeLessThan(text.length);
        expect(countTokens(head) + countTokens(tail)).toBeLessThanOrEqual(tokens);
        expect(ends.leftOutTokens).toBe(Math.max(1, whole - countTokens(head) - countTokens(tail)));
        if (text.isWellFormed()) expect([head.isWellFormed(), tail.isWellFormed()]).toEqual([true, true]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["lines", "INFO request served\n".repeat(20_000)],
    ["one line", "x".repeat(400_000)],
    ["wide letters", "日".repeat(400_000)],
    ["pairs", "🚀".repeat(200_000)],
    ["a dense end", "x".repeat(200_000) + "日".repeat(200_000)],
  ])("uses nearly all of the room, two thirds of it for the beginning: %s", (_, text) => {
    const ends = textEnds(text, countTokens(text), 3_000, countTokens);
    const head = countTokens(text.slice(0, ends?.headCharacters));
    const tail = countTokens(text.slice(text.length - (ends?.tailCharacters ?? 0)));
    expect(head).toBeGreaterThan(1_850);
    expect(head + tail).toBeGreaterThan(2_800);
    expect(tail).toBeGreaterThan(850);
  });

  it("ends the beginning and begins the end where a line does, when one is near", () => {
    const line = "INFO request served in 12 ms";
    const text = `${line}\n`.repeat(5_000);
    const ends = textEnds(text, countTokens(text), 1_000, countTokens);
    expect(text.slice(0, ends?.headCharacters).endsWith(line)).toBe(true);
    expect(text.slice(text.length - (ends?.tailCharacters ?? 0)).startsWith(line)).toBe(true);
  });

  it("keeps the whole text of a body of which pictures take the room", () => {
    expect(textEnds("look:\n[image]", 1_500, 300, countTokens)).toEqual({
      headCharacters: 13,
      tailCharacters: 0,
      leftOutTokens: 1_496,
    });
  });

  it("reads no more of a text of two million characters than of a short one", () => {
    for (const text of ["x".repeat(2_000_000), "日".repeat(2_000_000), "a\n".repeat(1_000_000)]) {
      let read = 0;
      const counting = (piece: string): number => {
        read += piece.length;
        return countTokens(piece);
      };
      textEnds(text, 1_000_000, 1_000, counting);
      expect(read).toBeLessThan(60_000);
    }
  });
});
