import { hostileTexts, proseTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countClaude } from "../encodings/claude.ts";
import { countO200k } from "../encodings/o200k-base.ts";
import { loadTokenizer } from "../load-tokenizer.ts";
import { textSlices } from "./text-slices.ts";

const tiktoken = await loadTokenizer("tiktoken:o200k_base");
const older = await loadTokenizer("tiktoken:cl100k_base");

/** Words of many scripts and what stands between them, so that a word ends in each stretch of a few dozen characters. */
const WORDS = [
  "we'll",
  "don't",
  "camelCase",
  "Ä",
  "été",
  "e\u0301t",
  "数据库",
  "한국어",
  "слово",
  "١٢",
  "12",
  "𝒜",
  "ﷺ",
  "ß",
];
const BETWEEN = [
  " ",
  "  ",
  "\n",
  "\r\n",
  "\t",
  ". ",
  "'s ",
  "’s ",
  "(",
  ")\n\n",
  "/",
  "-",
  ", ",
  "= ",
  '"',
  "🎉 ",
  "\u00a0",
];
const mixedTexts = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...BETWEEN)), { minLength: 1, maxLength: 60 })
  .map((pairs) => pairs.map(([word, between]) => word + between).join(""));

describe("slices of a text", () => {
  it("are the text, in order, of bounded length, and split no character", () => {
    fc.assert(
      fc.property(fc.oneof(hostileTexts, mixedTexts), fc.integer({ min: 8, max: 200 }), (text, length) => {
        const slices = [...textSlices(text, length)];
        expect(slices.join("")).toBe(text);
        for (const slice of slices) {
          expect(slice.length).toBeLessThanOrEqual(length);
          expect(slice.length > 0 && slice.isWellFormed()).toBe(text.isWellFormed());
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, (text: string) => number]>([
    ["tiktoken:o200k_base", (text) => tiktoken.countTokens(text)],
    ["tiktoken:cl100k_base", (text) => older.countTokens(text)],
    ["the encoding for OpenAI", countO200k],
    ["the encoding for Claude", countClaude],
  ])("count what the text counts where each ends behind a word: %s", (_, count) => {
    fc.assert(
      fc.property(fc.oneof(mixedTexts, proseTexts), (text) => {
        const slices = [...textSlices(text, 64)];
        fc.pre(slices.slice(0, -1).every((slice) => /[\p{L}\p{N}]$/u.test(slice)));
        expect(slices.reduce((sum, slice) => sum + count(slice), 0)).toBe(count(text));
      }),
      { numRuns: 300 },
    );
  });
});
