import { agentThreads, assistant, runs, threadOf, user } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptThread } from "../laws/script-thread.ts";
import { contextOf } from "../laws/strategy-context-arbitrary.ts";
import { foldableGroups, groupsBeside, newestOrdinal, newestUserOrdinal } from "./foldable-groups.ts";

const shapeOf = (script: string) => contextOf(scriptThread(script, 50), 1).shape;

describe("foldable groups", () => {
  it("are whole groups before the recent part, without system messages and the newest request", () => {
    const shape = shapeOf("s1 u1 a1 t1 u2 a2 t2 t2");
    const ordinals = (recentTokens: number, recentTurns = 9, newestGroup = false) =>
      foldableGroups(shape, { recentTokens, recentTurns, newestGroup }).map((group) => group.ordinals);
    expect(ordinals(0)).toEqual([[1], [2, 3], [5, 6, 7]]);
    expect(ordinals(0, 9, true)).toEqual([[1], [2, 3]]);
    expect(ordinals(150)).toEqual([[1], [2, 3]]);
    expect(ordinals(300)).toEqual([[1]]);
    expect(ordinals(10_000, 1)).toEqual([[1], [2, 3]]);
  });

  it("beside spared messages hold the rest of their groups, so that a call can make room for its result", () => {
    const shape = shapeOf("u1 a1 t1 u2 a2 t2 t2");
    expect(groupsBeside([5], shape).map(({ ordinals }) => ordinals)).toEqual([[0], [1, 2], [4, 6]]);
    expect(groupsBeside([0, 1, 2, 4, 5, 6], shape)).toEqual([]);
  });

  it("beside spared messages hold every foldable message except the spared ones", () => {
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

  it("newestOrdinal and newestUserOrdinal find the newest message and the newest user message", () => {
    expect([newestOrdinal(shapeOf("u1 a1 u2 a2")), newestUserOrdinal(shapeOf("u1 a1 u2 a2"))]).toEqual([3, 2]);
    expect([newestOrdinal(shapeOf("")), newestUserOrdinal(shapeOf("a1 a2"))]).toEqual([-1, -1]);
    // A summary that another tool wrote is nobody's request, and the only thing of a user's.
    expect(newestUserOrdinal(shapeOf("c1 a1"))).toBe(0);
    expect(newestUserOrdinal(shapeOf("u1 a1 c1 a2"))).toBe(0);
  });

  it("count as recent from the end only within both the token and the turn limit", () => {
    const shape = shapeOf("u1 a1 u2 a2 u3 a3 u4 a4");
    const ordinals = (recentTokens: number, recentTurns: number, newestGroup = false) =>
      foldableGroups(shape, { recentTokens, recentTurns, newestGroup }).flatMap((group) => group.ordinals);
    // The newest request, message 6, never goes.
    expect([ordinals(1_000, 1), ordinals(1_000, 2), ordinals(1_000, 0)]).toEqual([
      ...[
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 3],
        [0, 1, 2, 3, 4, 5, 7],
      ],
    ]);
    // Four messages of 50 tokens fit into 200.
    expect([ordinals(200, 9), ordinals(199, 9)]).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4],
    ]);
    // The newest group may stay although it is too large, and then the one before it does not.
    expect([ordinals(49, 9), ordinals(49, 9, true), ordinals(99, 9, true)]).toEqual([
      ...[
        [0, 1, 2, 3, 4, 5, 7],
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 3, 4, 5],
      ],
    ]);
  });

  it("include no side branch, and side branches use up none of the recent tokens", () => {
    const beside = { branch: "b" };
    const thread = threadOf(
      user("u1", "One."),
      assistant("a1", "Two."),
      user("side-u", "Aside.", beside),
      assistant("side-a", "x".repeat(4_000), beside),
      user("u2", "Three."),
      assistant("a2", "Four."),
      user("late", "Aside again.", beside),
    );
    const { shape } = contextOf(thread, 1);
    const recent = shape.header(4).tokens + shape.header(5).tokens;
    const groups = (recentTokens: number) =>
      foldableGroups(shape, { recentTokens, recentTurns: 9, newestGroup: false }).flatMap((group) => group.ordinals);
    expect([groups(0), groups(recent), groups(recent + shape.header(1).tokens)]).toEqual([[0, 1, 5], [0, 1], [0]]);
    expect([newestOrdinal(shape), newestUserOrdinal(shape)]).toEqual([5, 4]);
    const aside = contextOf(threadOf(user("side", "Aside.", beside), assistant("a1", "One.")), 1).shape;
    expect(newestUserOrdinal(aside)).toBe(-1);
  });

  it("never include a group with a spared message", () => {
    const shape = shapeOf("u1 a1 t1 u2 a2 u3");
    const protection = { recentTokens: 0, recentTurns: 9, newestGroup: false };
    const groups = (spared?: readonly number[]) =>
      foldableGroups(shape, spared === undefined ? protection : { ...protection, spared }).map(
        ({ ordinals }) => ordinals,
      );
    expect(groups()).toEqual([[0], [1, 2], [3], [4]]);
    expect(groups([2, 3])).toEqual([[0], [4]]);
  });
});
