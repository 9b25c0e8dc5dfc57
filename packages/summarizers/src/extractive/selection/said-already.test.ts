import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SaidAlready } from "./said-already.ts";

/** Statements of few words of a few, so that many of them share most. */
const statement = fc
  .uniqueArray(fc.constantFrom(..."the lock was not held by another writer while 31 tests ran".split(" ")), {
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

const isGlue = (word: string): boolean => word === "the" || word === "was";

describe("SaidAlready", () => {
  it("law: nearly the same is what stands in what was said, or shares most with one of it and neither denies nor counts otherwise", () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 5 }), statement, (statements, asked) => {
        const said = new SaidAlready();
        for (const one of statements) said.say(one);
        const words = wordsOf(asked);
        const isInside = statements.some((one) => one === asked || (asked.length > 12 && one.includes(asked)));
        const isAlike = (one: string): boolean => {
          const others = wordsOf(one);
          const saysAll = others.size <= 3 * words.size && [...words].every((word) => others.has(word) || isGlue(word));
          const differs = words.has("not") !== others.has("not") || (words.has("31") && !others.has("31"));
          return (saysAll || shareOf(asked, one) >= 0.75) && !differs;
        };
        const isNear = words.size > 3 && statements.some((one) => one !== "" && isAlike(one));
        expect(said.hasNearly(asked)).toBe((asked !== "" && isInside) || isNear);
      }),
      runs(2_000),
    );
  });

  it("law: what was said is any part of it that is longer than twelve characters, cut anywhere, and no more than its parts", () => {
    const cut = fc.tuple(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(
        fc.array(statement, { minLength: 1, maxLength: 3 }),
        statement,
        cut,
        (statements, other, [from, length]) => {
          const said = new SaidAlready();
          for (const one of statements) said.say(one);
          for (const whole of [...statements, other]) {
            const part = whole.slice(from, from + length).trim();
            const isInside = statements.some((one) => one === part || (part.length > 12 && one.includes(part)));
            expect(said.has(part)).toBe(part !== "" && isInside);
          }
        },
      ),
      runs(2_000),
    );
  });
});
