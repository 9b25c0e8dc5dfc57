import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SaidAlready } from "./said-already.ts";

/** Statements of few words of a few, so that many of them share most. */
const statement = fc
  .uniqueArray(fc.constantFrom(..."the lock was held by another writer while tests ran twice".split(" ")), {
    maxLength: 9,
  })
  .map((words) => words.join(" "));

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** The share of all words of two statements that stand in both. */
function shareOf(one: string, other: string): number {
  const others = wordsOf(other);
  const shared = [...wordsOf(one)].filter((word) => others.has(word)).length;
  return shared / wordsOf(`${one} ${other}`).size;
}

describe("SaidAlready", () => {
  it("law: nearly the same is what stands in what was said, or shares three quarters of its words with one of it", () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 5 }), statement, (statements, asked) => {
        const said = new SaidAlready();
        for (const one of statements) said.say(one);
        const isInside = statements.some((one) => one === asked || (asked.length > 12 && one.includes(asked)));
        const isAlike = wordsOf(asked).size > 3 && statements.some((one) => one !== "" && shareOf(one, asked) >= 0.75);
        expect(said.hasNearly(asked)).toBe((asked !== "" && isInside) || isAlike);
      }),
      runs(2_000),
    );
  });
});
