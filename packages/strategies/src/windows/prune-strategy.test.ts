import { assistant, call, result, threadOf, tool, user } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { scriptThread } from "../laws/script-thread.ts";
import { contextOf } from "../laws/strategy-context-arbitrary.ts";
import { pruneStrategy } from "./prune-strategy.ts";

const prune = pruneStrategy({ protectTokens: 40_000, minimumTokens: 20_000 });
/** Tool messages hold 4 tokens beside their output. */
const prunedOf = (script: string, output: (id: string) => number): readonly number[] => {
  const thread = scriptThread(script, (id) => (id.startsWith("t") ? output(id) + 4 : 10));
  return prune.analyze(contextOf(thread, 1)).flatMap(({ ordinals }) => ordinals);
};

describe("pruneStrategy", () => {
  it("opencode-7 seed 001: protects the newest 40 000 tokens of tool output and prunes the rest", () => {
    expect(prunedOf("u1 a1 t1 a2 t2 a3 t3 a4 t4 a5 t5 a6 t6 a7 t7 u8", () => 10_000)).toEqual([2, 4, 6]);
  });

  it("opencode-8 seed 001: prunes only if more than 20 000 tokens can be freed", () => {
    const script = "u1 a1 t1 a2 t2 a3 t3 a4 t4 u5";
    const sized = (old: number) => (id: string) => (id === "t3" || id === "t4" ? 20_000 : old);
    expect(prunedOf(script, sized(10_000))).toEqual([]);
    expect(prunedOf(script, sized(10_001))).toEqual([2, 4]);
  });

  it("S30 protects the newest turn, and adds up many small outputs", () => {
    const small = `u1 ${"a1 t1 ".repeat(250)}u2 a2 t2 u3`;
    const pruned = prunedOf(small, (id) => (id === "t2" ? 40_000 : 100));
    expect(pruned).toHaveLength(250);
    expect(prunedOf("u1 a1 t1", () => 90_000)).toEqual([]);
  });

  it("counts only output that the prompt still shows, and states what each proposal frees", () => {
    const small = pruneStrategy({ protectTokens: 100, minimumTokens: 0 });
    const sizes: Readonly<Record<string, number>> = { t1: 60, t2: 60, t3: 100 };
    const thread = scriptThread("u1 a1 t1 a2 t2 a3 t3 u4", (id) => (sizes[id] ?? 10) + (id.startsWith("t") ? 4 : 0));
    const context = contextOf(thread, 1);
    const both = small.analyze(context);
    expect(both.map(({ ordinals, estimatedTokensFreed }) => [ordinals, estimatedTokensFreed])).toEqual([
      [[2], 20],
      [[4], 20],
    ]);
    expect(both[0]?.reason).toBe("The output of tool is older than the newest 100 tokens of tool output.");
    // The newest result was emptied before, so the two others are all the output there is, and 100 tokens of it stay.
    const emptied = { ...context, heldBy: (at: number) => (at === 6 ? ({ action: "clear" } as never) : undefined) };
    expect(small.analyze(emptied).map(({ ordinals }) => ordinals)).toEqual([[2]]);
    // Nor is output of a side branch any of the prompt's.
    const exchange = (id: string, branch?: string) => {
      const beside = branch === undefined ? {} : { branch };
      return [assistant(`a-${id}`, call(id), beside), tool(`t-${id}`, result(id, "x".repeat(240)), beside)];
    };
    // What is said beside it is no output either, however long.
    const wordy = scriptThread("u1 a1 t1 a2 u2", (id) => (id === "t1" ? 64 : 500));
    expect(small.analyze(contextOf(wordy, 1))).toEqual([]);
    const beside = threadOf(
      user("u1", "Look."),
      ...exchange("old"),
      ...exchange("side", "b"),
      assistant("a2", "So."),
      user("u2", "And?"),
    );
    expect(small.analyze(contextOf(beside, 1))).toEqual([]);
  });

  it("leaves output alone that is no larger than its placeholder", () => {
    const all = pruneStrategy({ protectTokens: 0, minimumTokens: 0 });
    const pruned = (tokens: number) =>
      all.analyze(
        contextOf(
          scriptThread("u1 a1 t1 a2 u2", (id) => (id === "t1" ? tokens + 4 : 10)),
          1,
        ),
      ).length;
    expect([pruned(40), pruned(41)]).toEqual([0, 1]);
  });
});
