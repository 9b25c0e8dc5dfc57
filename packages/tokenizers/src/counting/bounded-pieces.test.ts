import { hostileTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countBounded, MAX_PIECE } from "./bounded-pieces.ts";
import { SLICE } from "./text-slices.ts";

const ENDLESS = ["a", "Ä", "中", " ", "\n", "=", "👩‍👩‍👧"];

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  countBounded(text, (piece) => pieces.push(piece));
  return pieces;
}

describe("counting in bounded pieces", () => {
  it("gives ordinary text to the encoder slice by slice", () => {
    const prose = "Ein Satz, der sich wiederholt. Une phrase. 这是一个句子。x = a[1] + b;\n\t".repeat(200);
    expect(piecesOf(prose.slice(0, SLICE))).toEqual([prose.slice(0, SLICE)]);
    expect(piecesOf(prose).length).toBeLessThanOrEqual(Math.ceil(prose.length / (SLICE / 2)));
    expect(piecesOf("0123456789".repeat(1_000))).toHaveLength(Math.ceil(10_000 / SLICE));
  });

  it.each(ENDLESS)("cuts an endless run of %j", (unit) => {
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
