import type { InspectionIndex } from "@threadfold/inspection/rows";
import { describe, expect, it } from "vitest";
import { smallIndex } from "../testing/small-index.ts";
import { blockLabel } from "./block-label.ts";

/** Three calls that begin with a block of tools and one of pins; the third has other tools. */
function threeCalls(): InspectionIndex {
  const own = [1, 2].map((tokens) => ["include", -1, -1, -1, tokens] as const);
  const index = smallIndex([
    { shared: 0, own, messages: 1, plan: 0 },
    { shared: 2, own: [], messages: 1, plan: 0 },
    { shared: 0, own, messages: 1, plan: 0 },
  ]);
  return {
    ...index,
    blocks: { ...index.blocks, action: ["tools", "pins", "tools", "pins"] },
    calls: { ...index.calls, frame: [0, 0, 1] },
    frames: [{ tools: ["bash"] }, { tools: ["bash", "read", "write"] }],
    pins: [{ liftedAt: 3 }, { liftedAt: null }],
  } as unknown as InspectionIndex;
}

describe("the label of a block", () => {
  it("counts the tools of its own request, not those of the newest", () => {
    expect([0, 2].map((place) => blockLabel(threeCalls(), place))).toEqual([
      "Definitions of 1 tool",
      "Definitions of 3 tools",
    ]);
  });

  it("does not count standing instructions that were lifted, or that a message on view states", () => {
    expect(blockLabel(threeCalls(), 1)).toBe("Standing instructions");
  });
});
