import { agentThreads, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptThread } from "../laws/script-thread.ts";
import { contextOf } from "../laws/strategy-context-arbitrary.ts";
import { foldableGroups, groupsBeside, newestOrdinal, newestUserOrdinal } from "./foldable-groups.ts";

const shapeOf = (script: string) => contextOf(scriptThread(script, 50), 1).shape;

describe("foldable groups", () => {
  it("are older than what is recent, in whole groups, and no system message and no newest request", () => {
    const shape = shapeOf("s1 u1 a1 t1 u2 a2 t2 t2");
    const ordinals = (recentTokens: number, recentTurns = 9, newestGroup = false) =>
      foldableGroups(shape, { recentTokens, recentTurns, newestGroup }).map((group) => group.ordinals);
    expect(ordinals(0)).toEqual([[1], [2, 3], [5, 6, 7]]);
    expect(ordinals(0, 9, true)).toEqual([[1], [2, 3]]);
    expect(ordinals(150)).toEqual([[1], [2, 3]]);
    expect(ordinals(300)).toEqual([[1]]);
    expect(ordinals(10_000, 1)).toEqual([[1], [2, 3]]);
  });

  it("beside spared messages are what else is in their groups, so that a call makes room for its result", () => {
    const shape = shapeOf("u1 a1 t1 u2 a2 t2 t2");
    expect(groupsBeside([5], shape).map(({ ordinals }) => ordinals)).toEqual([[0], [1, 2], [4, 6]]);
    expect(groupsBeside([0, 1, 2, 4, 5, 6], shape)).toEqual([]);
  });

  it("beside hold none of the spared messages, and leave none out that may be folded", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true }), fc.array(fc.nat(40)), (thread, spared) => {
        const { shape } = contextOf(thread, 1);
        const all = foldableGroups(shape, { recentTokens: 0, recentTurns: 0, newestGroup: false });
        const wanted = all.flatMap(({ ordinals }) => ordinals).filter((ordinal) => !spared.includes(ordinal));
        expect(groupsBeside(spared, shape).flatMap(({ ordinals }) => ordinals)).toEqual(wanted);
      }),
      runs(60),
    );
  });

  it("the newest message of the main branch, and the newest that somebody typed", () => {
    expect([newestOrdinal(shapeOf("u1 a1 u2 a2")), newestUserOrdinal(shapeOf("u1 a1 u2 a2"))]).toEqual([3, 2]);
    expect([newestOrdinal(shapeOf("")), newestUserOrdinal(shapeOf("a1 a2"))]).toEqual([-1, -1]);
    // A summary that another tool wrote is nobody's request, and the only thing of a user's.
    expect(newestUserOrdinal(shapeOf("c1 a1"))).toBe(0);
    expect(newestUserOrdinal(shapeOf("u1 a1 c1 a2"))).toBe(0);
  });
});
