import { hostileTexts, proseTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countBounded, MAX_PIECE, SLICE, textSlices } from "./bounded-count.ts";
import { countClaude } from "./encodings/claude.ts";
import { countO200k } from "./encodings/o200k-base.ts";
import { loadTokenizer } from "./load-tokenizer.ts";

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
  it("add up to the text in order, with bounded length and no split characters", () => {
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
  ])("add up to the count of the whole text if each ends after a word: %s", (_, count) => {
    fc.assert(
      fc.property(fc.oneof(mixedTexts, proseTexts), (text) => {
        const slices = [...textSlices(text, 64)];
        // Where no word ends in the second half of a slice, it is cut inside one.
        const isCut = (slice: string, at: number): boolean =>
          !/[\p{L}\p{N}]$/u.test(slice) || /^[\p{L}\p{N}\p{M}']/u.test(slices[at + 1] as string);
        fc.pre(!slices.slice(0, -1).some(isCut));
        expect(slices.reduce((sum, slice) => sum + count(slice), 0)).toBe(count(text));
      }),
      { numRuns: 300 },
    );
  });
});

const ENDLESS = ["a", "Ä", "中", " ", "\n", "=", "👩‍👩‍👧"];

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  countBounded(text, (piece) => pieces.push(piece));
  return pieces;
}

describe("counting in bounded pieces", () => {
  it("passes ordinary text to the encoder slice by slice", () => {
    const prose = "Ein Satz, der sich wiederholt. Une phrase. 这是一个句子。x = a[1] + b;\n\t".repeat(200);
    expect(piecesOf(prose.slice(0, SLICE))).toEqual([prose.slice(0, SLICE)]);
    expect(piecesOf(prose).length).toBeLessThanOrEqual(Math.ceil(prose.length / (SLICE / 2)));
    expect(piecesOf("0123456789".repeat(1_000))).toHaveLength(Math.ceil(10_000 / SLICE));
  });

  it.each(ENDLESS)("cuts an endless run of %j into pieces of bounded length", (unit) => {
    const pieces = piecesOf(`start ${unit.repeat(5_000)} end`);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(MAX_PIECE);
  });

  it("loses no character and splits no surrogate pair", () => {
    const runs = fc
      .tuple(fc.constantFrom(...ENDLESS), fc.integer({ min: 200, max: 700 }))
      .map(([unit, count]) => unit.repeat(count));
    fc.assert(
      fc.property(fc.array(fc.oneof(hostileTexts, runs), { maxLength: 4 }), (texts) => {
        const text = texts.join("");
        const pieces = piecesOf(text);
        expect(pieces.join("")).toBe(text);
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
