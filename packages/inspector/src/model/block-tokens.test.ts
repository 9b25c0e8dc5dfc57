import { expect, it } from "vitest";
import { smallIndex } from "../testing/small-index.ts";
import { cacheStates, largestBlocks } from "./block-tokens.ts";

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
