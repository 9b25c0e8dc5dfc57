import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SmallBlock, smallIndex } from "../testing/small-index.ts";
import { requestDifference } from "./difference.ts";

const block = fc.nat(12).map((from): SmallBlock => ["include", from, from, -1, from]);
const request = fc.uniqueArray(block, { selector: ([, from]) => from, maxLength: 10 });

describe("requestDifference", () => {
  it("is the previous call without what was added, and the call without what was removed", () => {
    fc.assert(
      fc.property(request, request, (before, after) => {
        const index = smallIndex([
          { shared: 0, own: before, messages: 13, plan: 0 },
          { shared: 0, own: after, messages: 13, plan: 0 },
        ]);
        const rows = requestDifference(index, 0, 1);
        const of = (kind: string): readonly (number | undefined)[] =>
          rows.filter((row) => row.kind !== kind).map(({ place }) => index.blocks.from[place]);
        expect(of("added")).toEqual(before.map(([, from]) => from));
        expect(of("removed")).toEqual(after.map(([, from]) => from));
      }),
    );
  });

  it("pairs what stands for a message with what stood for it before", () => {
    const index = smallIndex([
      {
        shared: 0,
        own: [
          ["include", 0, 0, -1, 50],
          ["include", 1, 1, -1, 5],
        ],
        messages: 2,
        plan: 0,
      },
      {
        shared: 0,
        own: [
          ["clear", 0, 0, 0, 3],
          ["include", 1, 1, -1, 5],
        ],
        messages: 2,
        plan: 1,
      },
    ]);
    expect(requestDifference(index, 0, 1)).toEqual([
      { kind: "removed", place: 0, before: -1 },
      { kind: "added", place: 2, before: 0 },
      { kind: "same", place: 3, before: -1 },
    ]);
  });

  it("is everything that the first call shows", () => {
    const index = smallIndex([{ shared: 0, own: [["include", 0, 0, -1, 5]], messages: 1, plan: 0 }]);
    expect(requestDifference(index, -1, 0)).toEqual([{ kind: "added", place: 0, before: -1 }]);
  });
});
