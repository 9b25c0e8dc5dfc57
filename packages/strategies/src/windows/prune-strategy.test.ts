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
  it("opencode-7 seed 001: protects the newest 40 000 tokens of tool output and prunes what is beyond", () => {
    expect(prunedOf("u1 a1 t1 a2 t2 a3 t3 a4 t4 a5 t5 a6 t6 a7 t7 u8", () => 10_000)).toEqual([2, 4, 6]);
  });

  it("opencode-8 seed 001: prunes only when more than 20 000 tokens can be", () => {
    const script = "u1 a1 t1 a2 t2 a3 t3 a4 t4 u5";
    const sized = (old: number) => (id: string) => (id === "t3" || id === "t4" ? 20_000 : old);
    expect(prunedOf(script, sized(10_000))).toEqual([]);
    expect(prunedOf(script, sized(10_001))).toEqual([2, 4]);
  });

  it("S30 the newest turn is protected, and many small outputs add up", () => {
    const small = `u1 ${"a1 t1 ".repeat(250)}u2 a2 t2 u3`;
    const pruned = prunedOf(small, (id) => (id === "t2" ? 40_000 : 100));
    expect(pruned).toHaveLength(250);
    expect(prunedOf("u1 a1 t1", () => 90_000)).toEqual([]);
  });
});
