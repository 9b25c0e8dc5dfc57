import { assistant, threadOf } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { scriptThread } from "../laws/script-thread.ts";
import { contextOf } from "../laws/strategy-context-arbitrary.ts";
import type { StrategyContext } from "../strategy/compaction-strategy.ts";
import { lastMessages, lastTurns, nothing } from "./cut-points.ts";
import { pruneStrategy } from "./prune-strategy.ts";
import { recursiveSummarization, slidingWindow, tokenCountWindow, turnWindow } from "./window-strategies.ts";
import { windowStrategy } from "./window-strategy.ts";

const contextFor = (script: string, tokens: number | ((id: string) => number) = 10): StrategyContext =>
  contextOf(scriptThread(script, tokens), 1);

/** The same context after folds that left these messages held so. */
const holding = (context: StrategyContext, held: Readonly<Record<number, string>>): StrategyContext => ({
  ...context,
  heldBy: (ordinal) => (held[ordinal] === undefined ? undefined : ({ action: held[ordinal] } as never)),
});

describe("a window that drops", () => {
  const drop = windowStrategy({ name: "last", cut: lastTurns(1), fold: "drop" });

  it("drops each group before the window, and frees its currently rendered size", () => {
    const context = contextFor("u1 a1 t1 u2 a2", (id) => (id === "t1" ? 300 : 10));
    expect(drop.analyze(context)).toEqual([
      {
        ...{ action: "drop", strategy: "last", ordinals: [0], estimatedTokensFreed: 10 },
        reason: "The group is older than the window that is kept.",
      },
      expect.objectContaining({ ordinals: [1, 2], estimatedTokensFreed: 310 }),
    ]);
    const emptied = { ...context, renderedTokens: () => 7 };
    expect(drop.analyze(emptied).map(({ estimatedTokensFreed }) => estimatedTokensFreed)).toEqual([7, 14]);
  });

  it("skips what already left the prompt, but drops what was only cleared or externalized", () => {
    const context = contextFor("u1 a1 t1 u2 a2 u3 a3");
    const ordinals = (held: Readonly<Record<number, string>>) =>
      drop.analyze(holding(context, held)).map((proposal) => proposal.ordinals);
    expect(ordinals({ 0: "summarize", 2: "drop" })).toEqual([[3], [4]]);
    expect(ordinals({ 0: "clear", 2: "externalize" })).toEqual([[0], [1, 2], [3], [4]]);
  });

  it("leaves a group whole if the window starts inside it", () => {
    const within = windowStrategy({ name: "last", cut: () => 2, fold: "drop" });
    expect(within.analyze(contextFor("u1 a1 t1 u2 a2")).map(({ ordinals }) => ordinals)).toEqual([[0]]);
    const behind = windowStrategy({ name: "last", cut: () => 3, fold: "drop" });
    expect(behind.analyze(contextFor("u1 a1 t1 u2 a2")).map(({ ordinals }) => ordinals)).toEqual([[0], [1, 2]]);
  });

  it("leads the floor because it needs no summarizer, and is the third rung by default", () => {
    expect(drop).toMatchObject({ leadsFloor: true, aggressiveness: 2 });
    const summarizes = windowStrategy({ name: "all", cut: nothing, fold: "summarize", aggressiveness: 0 });
    expect(summarizes).not.toHaveProperty("leadsFloor");
    expect(summarizes.aggressiveness).toBe(0);
  });
});

describe("a window that keeps earlier user requests", () => {
  const sizes = (id: string) => (id === "u2" ? 400 : id.startsWith("u") ? 60 : 300);
  const context = contextFor("u1 a1 u2 a2 u3 a3 u4 a4", sizes);
  const keeping = (keepUserTokens: number, seen: StrategyContext = context) =>
    windowStrategy({ name: "codex", cut: nothing, fold: "summarize", keepUserTokens }).analyze(seen);
  const summarized = (...input: Parameters<typeof keeping>) =>
    keeping(...input).flatMap(({ action, ordinals }) => (action === "summarize" ? ordinals : []));

  it("subtracts the newest request, keeps whole ones, and cuts the first that does not fit", () => {
    // 300 tokens less 60 for the newest request and 60 for the one before it leave 180 of 400.
    expect(keeping(300)[0]).toMatchObject({
      ...{ action: "clear", strategy: "codex", ordinals: [2], targets: ["text"], estimatedTokensFreed: 220 },
      // Three characters a token, half of them at each end, and 40 tokens for the words in between.
      keep: { headCharacters: 210, tailCharacters: 210 },
      reason: expect.stringContaining("Only 180 tokens"),
    });
    expect(summarized(300)).toEqual([0, 1, 3, 5]);
  });

  it("keeps a request that exactly fits whole, and older ones that also fit", () => {
    expect(summarized(520)).toEqual([0, 1, 3, 5]);
    expect(keeping(520).some(({ action }) => action === "clear")).toBe(false);
    expect(summarized(580)).toEqual([1, 3, 5]);
  });

  it("cuts no request shorter than the words that mark the gap", () => {
    expect(summarized(200)).toEqual([0, 1, 2, 3, 5]);
    expect(keeping(201)[0]).toMatchObject({ ordinals: [2], keep: { headCharacters: 61, tailCharacters: 61 } });
  });

  it("does not cut a request again that an earlier fold cut, and passes over dropped ones", () => {
    expect(summarized(300, holding(context, { 2: "clear" }))).toEqual([0, 1, 2, 3, 5]);
    expect(summarized(180, holding(context, { 2: "drop" }))).toEqual([3, 5]);
  });

  it("never keeps more than half of the room, whatever it is asked to keep", () => {
    const narrow = { ...context, config: { ...context.config, maxInputTokens: 600 } };
    expect(keeping(10_000, narrow)).toEqual(keeping(300, narrow));
  });

  it("keeps no requests by default, and copes with a thread that has none", () => {
    expect(summarized(0)).toEqual([0, 1, 2, 3, 4, 5]);
    const unasked = contextOf(threadOf(assistant("a1", "x".repeat(4_000)), assistant("a2", "Done.")), 1);
    expect(summarized(100, unasked)).toEqual([0]);
  });
});

describe("a window that overlaps with its summary", () => {
  it("shows the summarizer the requested number of messages after the cut, or all there are", () => {
    const context = contextFor("u1 a1 u2 a2 u3 a3", 300);
    const overlap = (count: number) => {
      const [proposal] = windowStrategy({
        ...{ name: "turns", cut: lastMessages(2), fold: "summarize", overlap: count },
      }).analyze(context);
      return proposal?.action === "summarize" ? proposal.overlap : undefined;
    };
    expect([overlap(0), overlap(1), overlap(5)]).toEqual([undefined, [4], [4, 5]]);
  });

  it("shows the overlap to the last summary alone", () => {
    const context = contextFor("u1 a1 u2 a2 u3 a3 u4 a4", (id) => (id.startsWith("a") ? 300 : 60));
    const proposals = windowStrategy({
      ...{ name: "kept", cut: lastTurns(1), fold: "summarize", keepUserTokens: 180, overlap: 1 },
    }).analyze(context);
    expect(proposals).toMatchObject([{ ordinals: [0, 1] }, { ordinals: [3] }, { ordinals: [5], overlap: [6] }]);
    for (const earlier of proposals.slice(0, -1)) expect(earlier).not.toHaveProperty("overlap");
  });
});

describe("strategies that are made with wrong options", () => {
  const window = { name: "own", cut: lastTurns(1), fold: "drop" };

  it.each<[string, (options: never) => unknown, unknown]>([
    ["options", slidingWindow, undefined],
    ["maxEvent", slidingWindow, { maxEvent: 3 }],
    ["options", turnWindow, null],
    ["options", tokenCountWindow, "x"],
    ["options", recursiveSummarization, undefined],
    ["options", pruneStrategy, undefined],
    ["minimumTokens", pruneStrategy, { protectTokens: 1 }],
    ["protectTokens", pruneStrategy, { protectTokens: -1, minimumTokens: 1 }],
    ["options", windowStrategy, undefined],
    ["name", windowStrategy, { ...window, name: undefined }],
    ["cut", windowStrategy, { ...window, cut: 3 }],
    ["fold", windowStrategy, { ...window, fold: "summarise" }],
    ["keepUserToken", windowStrategy, { ...window, keepUserToken: 3 }],
    ["oneSummary", windowStrategy, { ...window, oneSummary: "yes" }],
  ])("are refused by the name %s", (name, make, options) => {
    expect(() => make(options as never)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", details: { name } }),
    );
  });
});

describe("the windows of Spring AI Session", () => {
  const folded = (strategy: ReturnType<typeof slidingWindow>, script = "a0 u1 a1 u2 a2 u3 a3") =>
    strategy.analyze(contextFor(script, 300)).flatMap(({ ordinals }) => ordinals);

  it("keep the last events, turns or tokens, and the turn window also keeps the preamble", () => {
    expect(folded(slidingWindow({ maxEvents: 3 }))).toEqual([0, 1, 2, 3, 4]);
    expect(folded(slidingWindow({ maxEvents: 4 }))).toEqual([0, 1, 2]);
    expect(folded(turnWindow({ maxTurns: 1 }))).toEqual([1, 2, 3, 4]);
    expect(folded(tokenCountWindow({ maxTokens: 1_200 }))).toEqual([0, 1, 2]);
    expect(folded(recursiveSummarization({ maxEventsToKeep: 4 }))).toEqual([0, 1, 2]);
  });

  it("S24 show the summarizer two events of the active window, and reject an overlap as large as it", () => {
    const [proposal] = recursiveSummarization({ maxEventsToKeep: 4 }).analyze(contextFor("u1 a1 u2 a2 u3 a3", 300));
    expect(proposal).toMatchObject({ action: "summarize", overlap: [2, 3] });
    const maxEventsToKeep = 3;
    for (const overlapSize of [-1, 0.5, 3, 4]) {
      expect(() => recursiveSummarization({ maxEventsToKeep, overlapSize })).toThrow(
        expect.objectContaining({
          code: "INVALID_CONFIG",
          message: expect.stringContaining(`overlapSize is ${overlapSize};`),
        }),
      );
    }
    for (const overlapSize of [0, 2])
      expect(() => recursiveSummarization({ maxEventsToKeep, overlapSize })).not.toThrow();
  });
});
