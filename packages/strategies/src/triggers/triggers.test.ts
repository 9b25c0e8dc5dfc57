import { describe, expect, it } from "vitest";
import type { CompactionTrigger, TriggerInput } from "./compaction-trigger.ts";
import { allOf, anyOf } from "./composite-trigger.ts";
import { messageCountTrigger, stepCountTrigger, tokenCountTrigger, turnCountTrigger } from "./count-triggers.ts";
import { overflowTrigger } from "./overflow-trigger.ts";
import { tokenFractionTrigger } from "./token-fraction-trigger.ts";

const idle: TriggerInput = { tokens: 0, maxInputTokens: 1_000, turns: 0, steps: 0, messages: 0 };
const level = (trigger: CompactionTrigger, input: Partial<TriggerInput>) =>
  trigger.evaluate({ ...idle, ...input }).level;

describe("triggers", () => {
  it("S1 turn, step and message triggers fire one over their threshold, token triggers at it", () => {
    expect(level(turnCountTrigger(20), { turns: 20 })).toBe("none");
    expect(level(turnCountTrigger(20), { turns: 21 })).toBe("soft");
    expect(level(stepCountTrigger(5), { steps: 5 })).toBe("none");
    expect(level(stepCountTrigger(5), { steps: 6 })).toBe("soft");
    expect(level(messageCountTrigger(5), { messages: 5 })).toBe("none");
    expect(level(messageCountTrigger(5), { messages: 6 })).toBe("soft");
    expect(level(tokenCountTrigger(400), { tokens: 399 })).toBe("none");
    expect(level(tokenCountTrigger(400), { tokens: 400 })).toBe("soft");
    expect(level(tokenFractionTrigger(0.85), { tokens: 849 })).toBe("none");
    expect(level(tokenFractionTrigger(0.85), { tokens: 850 })).toBe("soft");
  });

  it("S2 an empty session triggers nothing", () => {
    for (const trigger of [turnCountTrigger(1), tokenCountTrigger(1), tokenFractionTrigger(0.5), overflowTrigger]) {
      expect(level(trigger, {})).toBe("none");
    }
  });

  it("is hard above the cap and after an overflow", () => {
    expect(level(tokenFractionTrigger(0.85), { tokens: 1_001 })).toBe("hard");
    expect(level(tokenFractionTrigger(0.85), { tokens: 1_000 })).toBe("soft");
    expect(level(overflowTrigger, { overflowed: true })).toBe("hard");
  });

  it("takes the higher of our count and what the provider reported", () => {
    expect(level(tokenFractionTrigger(0.85), { tokens: 10, reportedTokens: 900 })).toBe("soft");
  });

  it("S4 all of nothing fires, any of nothing does not", () => {
    expect(level(allOf(), {})).toBe("soft");
    expect(level(anyOf(), {})).toBe("none");
  });

  it("composes: any fires with one, all only with every one, as hard as the hardest", () => {
    const turns = turnCountTrigger(2);
    const tokens = tokenCountTrigger(100);
    expect(level(anyOf(turns, tokens), { turns: 3 })).toBe("soft");
    expect(level(allOf(turns, tokens), { turns: 3 })).toBe("none");
    expect(level(allOf(turns, tokens), { turns: 3, tokens: 5_000 })).toBe("hard");
    expect(level(anyOf(allOf(turns, tokens), overflowTrigger), { overflowed: true })).toBe("hard");
  });

  it("S11 refuses thresholds out of range", () => {
    for (const fraction of [0, -1, 1.1, Number.NaN]) {
      expect(() => tokenFractionTrigger(fraction)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    }
    expect(() => turnCountTrigger(-1)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    expect(tokenFractionTrigger(1).name).toBe("token-fraction 1");
  });
});
