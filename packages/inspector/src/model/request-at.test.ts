import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SmallCall, smallIndex } from "../testing/small-index.ts";
import { blocksAt, cacheStates, largestBlocks } from "./request-at.ts";

/** Calls that each keep some of the blocks before and add some. */
const calls = fc
  .array(fc.tuple(fc.nat(8), fc.array(fc.nat(500), { maxLength: 6 })), { minLength: 1, maxLength: 30 })
  .map((some) => {
    let length = 0;
    return some.map(([keep, tokens]): SmallCall => {
      const shared = Math.min(keep, length);
      length = shared + tokens.length;
      const own = tokens.map((one) => ["include", 0, 0, -1, one] as const);
      return { shared, own, messages: 1, plan: 0 };
    });
  });

describe("blocksAt", () => {
  it("is the beginning of the call before and the call's own blocks", () => {
    fc.assert(
      fc.property(calls, (some) => {
        const index = smallIndex(some);
        let before: readonly number[] = [];
        some.forEach(({ shared, own }, call) => {
          const first = index.calls.firstBlock[call] ?? 0;
          before = [...before.slice(0, shared), ...own.map((_, at) => first + at)];
          expect(blocksAt(index, call)).toEqual(before);
        });
      }),
    );
  });

  it("is empty where there is no call", () => {
    expect(blocksAt(smallIndex([]), -1)).toEqual([]);
  });
});

it("cacheStates follow a beginning that was read, then one that was written, in the provider's own tokens", () => {
  const own = [100, 100, 100, 100].map((tokens) => ["include", 0, 0, -1, tokens] as const);
  const index = smallIndex([{ shared: 0, own, messages: 1, plan: 0 }]);
  const figures = { tokens: [400], inputTokens: [800], cached: [200], written: [400], fresh: [200] };
  const tables = { ...index, calls: { ...index.calls, ...figures } };
  expect(cacheStates(tables, 0, [0, 1, 2, 3])).toEqual(["cached", "written", "written", "fresh"]);
});

it("largestBlocks are positions, largest first, the earlier of equals before the later", () => {
  const own = [5, 9, 5, 12].map((tokens) => ["include", 0, 0, -1, tokens] as const);
  const index = smallIndex([{ shared: 0, own, messages: 1, plan: 0 }]);
  expect(largestBlocks(index, [0, 1, 2, 3], 3)).toEqual([3, 1, 0]);
});
