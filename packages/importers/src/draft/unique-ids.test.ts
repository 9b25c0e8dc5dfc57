import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UniqueIds } from "./unique-ids.ts";

describe("UniqueIds", () => {
  it("never gives an id twice, gives free ids as they are, and answers alike each time", () => {
    const wanted = fc.oneof(
      fc.constantFrom("a", "a~2", "a~2~2", "b"),
      fc.string({ unit: "binary" }),
      fc.constantFrom("x".repeat(500), "y".repeat(600)),
    );
    fc.assert(
      fc.property(fc.array(wanted, { maxLength: 20 }), (list) => {
        const ids = new UniqueIds();
        const given = list.map((id) => ids.take(id));
        expect(new Set(given).size).toBe(list.length);
        expect(given.every((id) => id.isWellFormed() && id.length <= 512)).toBe(true);
        const again = new UniqueIds();
        expect(list.map((id) => again.take(id))).toEqual(given);
        if (list[0]?.isWellFormed() && list[0].length < 400) expect(given[0]).toBe(list[0]);
      }),
      { numRuns: 300 },
    );
  });

  it("stays fast when one id is wanted a hundred thousand times", () => {
    const ids = new UniqueIds();
    for (let count = 0; count < 100_000; count++) ids.take("same");
    expect(ids.take("same")).toBe("same~100001");
  });
});
