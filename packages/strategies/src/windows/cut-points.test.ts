import { agentThreads, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptThread } from "../laws/script-thread.ts";
import { contextOf } from "../laws/strategy-context-arbitrary.ts";
import type { StrategyContext } from "../strategy/compaction-strategy.ts";
import {
  type CutPoint,
  lastMessages,
  lastMessagesFromTurnStart,
  lastShareOfMessages,
  lastSteps,
  lastTokens,
  lastTokensFromTurnStart,
  lastTokensInWholeTurns,
  lastTokensSplittingTurns,
  lastTurns,
  nothing,
  realMessages,
  snapToTurnStart,
} from "./cut-points.ts";
import { windowStrategy } from "./window-strategy.ts";

const contextFor = (script: string, tokens = 10): StrategyContext => contextOf(scriptThread(script, tokens), 1);
const cutIn = (cut: CutPoint, script: string, tokens?: number): number => cut(contextFor(script, tokens));

describe("cut points", () => {
  it("seed 000: of 14 messages the last 40 % stay, from message 9 on", () => {
    expect(cutIn(lastShareOfMessages(0.4), "u a t u a t u a t u a t u a")).toBe(9);
  });

  it("seed 000, A12: a split between a call and its result moves forward, so that the result goes with its call", () => {
    expect(cutIn(lastShareOfMessages(0.25), "u a t u a u a t a")).toBe(8);
  });

  it("seed 003: a boundary at a tool result walks back to its call", () => {
    expect(cutIn(lastMessages(1), "u a t")).toBe(1);
    expect(cutIn(lastMessages(2), "u a t a")).toBe(1);
    expect(cutIn(lastMessages(10), "u a u a u a u a u a")).toBe(0);
  });

  it("seed 004: a synthetic summary does not count, and a window that drops preserves it", () => {
    expect(cutIn(lastMessages(3), "u1 a1 c1 u2 a2")).toBe(1);
    const window = windowStrategy({ name: "last", cut: lastMessagesFromTurnStart(2), fold: "drop" });
    const dropped = window.analyze(contextFor("u1 a1 c1 u2 a2 u3 a3")).flatMap(({ ordinals }) => ordinals);
    expect(dropped).toEqual([0, 1, 3, 4]);
  });

  it("seed 004: a cut inside a turn moves forward to the next user message", () => {
    expect(snapToTurnStart(contextFor("u1 a1 u2 a2 a3 u3 a3").shape, 4)).toBe(5);
    expect(cutIn(lastMessagesFromTurnStart(3), "u1 a1 u2 a2 a3 u3 a3")).toBe(5);
    expect(cutIn(lastMessagesFromTurnStart(20), "u a u a")).toBe(0);
  });

  it("seed 004: a turn window keeps whole turns", () => {
    expect(cutIn(lastTurns(2), "u a t a u a u a t a u a")).toBe(6);
    expect(cutIn(lastTurns(10), "u a u a")).toBe(0);
  });

  it("a token suffix that may begin anywhere begins before a call and not before its results", () => {
    expect(cutIn(lastTokens(35), "u a u a t t a")).toBe(3);
    expect(cutIn(lastTokens(20), "u a u a u a")).toBe(4);
    expect(cutIn(lastTokens(10_000), "u a u a")).toBe(0);
    expect(cutIn(lastTokens(5), "u a u a")).toBe(4);
  });

  it("S22 a token suffix ends at the first message that does not fit, and leaves no gap", () => {
    expect(cutIn(lastTokensFromTurnStart(45), "u a u a u a u a")).toBe(4);
    expect(cutIn(lastTokensFromTurnStart(10_000), "u a u a")).toBe(0);
    const oversizeInTheMiddle = scriptThread("u1 a1 u2 a2 u3 a3", (id) => (id === "a2" ? 500 : 10));
    expect(lastTokensFromTurnStart(100)(contextOf(oversizeInTheMiddle, 1))).toBe(4);
  });

  it("seed 001: pi cuts before a user message, never in the middle of a turn that fits", () => {
    expect(cutIn(lastTokensSplittingTurns(45), "u a t a u a t a")).toBe(4);
    expect(cutIn(lastTokensSplittingTurns(75), "u a t a u a t a")).toBe(4);
  });

  it("L20 splits a turn that is larger than what is kept, before an assistant message, never at a tool result", () => {
    fc.assert(
      fc.property(fc.integer({ min: 12, max: 400 }), fc.integer({ min: 5, max: 40 }), (tokens, calls) => {
        const context = contextFor(`u ${"a t ".repeat(calls)}u2 a2`, 10);
        const cut = lastTokensSplittingTurns(tokens)(context);
        if (cut === 0 || cut === context.shape.length) return;
        const before = context.shape.header(cut);
        expect(before.role).not.toBe("tool");
        if (!before.startsTurn) expect((calls * 2 + 1) * 10).toBeGreaterThan(tokens);
      }),
      runs(100),
    );
    const cut = cutIn(lastTokensSplittingTurns(60), `u ${"a t ".repeat(20)}`);
    expect(cut).toBe(35);
  });

  it("whole turns of about so many tokens stay, and one that is larger than that stays whole", () => {
    expect(cutIn(lastTokensInWholeTurns(45), "u a t a u a t a")).toBe(4);
    expect(cutIn(lastTokensInWholeTurns(75), "u a t a u a t a")).toBe(4);
    expect(cutIn(lastTokensInWholeTurns(10_000), "u a t a u a t a")).toBe(0);
    expect(cutIn(lastTokensInWholeTurns(60), `u a ${"u a t a t a t a t a t"}`)).toBe(2);
    expect(cutIn(lastTokensInWholeTurns(60), "a t a t a t a t a t")).toBe(0);
  });

  it("a window that summarizes shows the summarizer the first messages that stay, beside the last run alone", () => {
    const context = contextFor("u1 a1 u2 a2 u3 a3 u4 a4", 300);
    const window = (overlap: number) =>
      windowStrategy({ name: "turns", cut: lastTurns(2), fold: "summarize", overlap }).analyze(context);
    expect(window(2)).toMatchObject([{ action: "summarize", ordinals: [0, 1, 2, 3], overlap: [4, 5] }]);
    expect(window(0)[0]).not.toHaveProperty("overlap");
    const nothingOlder = windowStrategy({ name: "turns", cut: lastTurns(9), fold: "summarize", overlap: 2 });
    expect(nothingOlder.analyze(context)).toEqual([]);
  });

  it("a window with one summary keeps the newest requests, cuts the one that fits in part, and gathers around them", () => {
    const sizes = (id: string) => (id === "u2" ? 400 : id.startsWith("u") ? 60 : 300);
    const context = contextOf(scriptThread("u1 a1 u2 a2 u3 a3 u4 a4", sizes), 1);
    const window = windowStrategy({
      ...{ name: "codex", cut: nothing, fold: "summarize", oneSummary: true, keepUserTokens: 300 },
    });
    const proposals = window.analyze(context);
    expect(proposals.map(({ action, ordinals }) => [action, ordinals])).toEqual([
      ["clear", [2]],
      ["drop", [0, 1]],
      ["drop", [3]],
      ["summarize", [5]],
    ]);
    expect(proposals.at(-1)).toMatchObject({ gathers: [0, 1, 3] });
    const [cut] = proposals;
    expect(cut?.action === "clear" && cut.keep?.headCharacters).toBeGreaterThan(0);
  });

  it("steps cut an autonomous run that is one endless turn", () => {
    expect(cutIn(lastSteps(2), "u a t a t t a t a")).toBe(6);
    expect(cutIn(lastSteps(9), "u a t a")).toBe(0);
    expect(cutIn(lastSteps(0), "u a t a")).toBe(4);
  });

  it("S7 what a window keeps at the least is never crossed", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true }), fc.integer({ min: 1, max: 12 }), (thread, count) => {
        const context = contextOf(thread, 100_000);
        const kept = new Set(
          realMessages(context)
            .slice(-count)
            .map((header) => header.ordinal),
        );
        const window = windowStrategy({ name: "last", cut: lastMessages(count), fold: "drop" });
        for (const { ordinals } of window.analyze(context)) {
          for (const ordinal of ordinals) expect(kept.has(ordinal)).toBe(false);
        }
      }),
      runs(100),
    );
  });

  it("S23 a turn window preserves what stands before the first user message", () => {
    const context = contextFor("a0 a0 u1 a1 u2 a2");
    const window = windowStrategy({ name: "turns", cut: lastTurns(1), fold: "drop", keepPreamble: true });
    expect(window.analyze(context).flatMap(({ ordinals }) => ordinals)).toEqual([2, 3]);
  });

  it("L26 no cut in a run of mixed results takes a call from under them", () => {
    const context = contextFor("u1 a1 t1 t1 t1 u2 a2");
    for (let count = 0; count < 7; count++) {
      const window = windowStrategy({ name: "last", cut: lastMessages(count), fold: "drop" });
      const gone = new Set(window.analyze(context).flatMap(({ ordinals }) => ordinals));
      expect([1, 2, 3, 4].every((ordinal) => gone.has(ordinal)) || [1, 2, 3, 4].every((o) => !gone.has(o))).toBe(true);
    }
  });

  it("S13 S24 refuses counts that are none", () => {
    for (const count of [-1, 1.5, Number.NaN]) {
      for (const cut of [lastMessages, lastTurns, lastSteps, lastTokensFromTurnStart]) {
        expect(() => cut(count)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
      }
    }
    expect(() => lastShareOfMessages(1)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });
});
