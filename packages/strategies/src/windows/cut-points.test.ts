import { agentThreads, assistant, message, runs, system, threadOf, user } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptThread } from "../laws/script-thread.ts";
import { contextOf, strategyContexts } from "../laws/strategy-context-arbitrary.ts";
import type { Hold, StrategyContext } from "../strategy/compaction-strategy.ts";
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
  it("seed 000: keep the last 40 % of 14 messages, from message 9 on", () => {
    expect(cutIn(lastShareOfMessages(0.4), "u a t u a t u a t u a t u a")).toBe(9);
  });

  it("seed 000, A12: move forward past a call and its result instead of splitting them", () => {
    expect(cutIn(lastShareOfMessages(0.25), "u a t u a u a t a")).toBe(8);
  });

  it("seed 003: walk back from a tool result to its call", () => {
    expect(cutIn(lastMessages(1), "u a t")).toBe(1);
    expect(cutIn(lastMessages(2), "u a t a")).toBe(1);
    expect(cutIn(lastMessages(10), "u a u a u a u a u a")).toBe(0);
  });

  it("seed 004: do not count a synthetic summary, and a window that drops keeps it", () => {
    expect(cutIn(lastMessages(3), "u1 a1 c1 u2 a2")).toBe(1);
    const window = windowStrategy({ name: "last", cut: lastMessagesFromTurnStart(2), fold: "drop" });
    const dropped = window.analyze(contextFor("u1 a1 c1 u2 a2 u3 a3")).flatMap(({ ordinals }) => ordinals);
    expect(dropped).toEqual([0, 1, 3, 4]);
  });

  it("seed 004: move forward from inside a turn to the next user message", () => {
    expect(snapToTurnStart(contextFor("u1 a1 u2 a2 a3 u3 a3"), 4)).toBe(5);
    expect(cutIn(lastMessagesFromTurnStart(3), "u1 a1 u2 a2 a3 u3 a3")).toBe(5);
    expect(cutIn(lastMessagesFromTurnStart(20), "u a u a")).toBe(0);
  });

  it("move forward past a turn that an earlier fold took out of the prompt", () => {
    const context = contextFor("u1 a1 u2 a2 u3 a3");
    const held = (hold: Partial<Hold>): StrategyContext => ({
      ...context,
      heldBy: (ordinal) => (ordinal === 2 || ordinal === 3 ? (hold as Hold) : undefined),
    });
    expect(snapToTurnStart(held({ action: "summarize" }), 1)).toBe(4);
    expect(snapToTurnStart(held({ action: "drop" }), 1)).toBe(4);
    expect(snapToTurnStart(held({ action: "externalize", form: "span" }), 1)).toBe(4);
    expect(snapToTurnStart(held({ action: "externalize", form: "body" }), 1)).toBe(2);
    expect(snapToTurnStart(held({ action: "clear" }), 1)).toBe(2);
  });

  it("seed 004: keep whole turns in a turn window", () => {
    expect(cutIn(lastTurns(2), "u a t a u a u a t a u a")).toBe(6);
    expect(cutIn(lastTurns(10), "u a u a")).toBe(0);
  });

  it("start a free token suffix before a call, and never between its results", () => {
    expect(cutIn(lastTokens(35), "u a u a t t a")).toBe(3);
    expect(cutIn(lastTokens(20), "u a u a u a")).toBe(4);
    expect(cutIn(lastTokens(10_000), "u a u a")).toBe(0);
    expect(cutIn(lastTokens(5), "u a u a")).toBe(4);
  });

  it("S22 end a token suffix at the first message that does not fit, without gaps", () => {
    expect(cutIn(lastTokensFromTurnStart(45), "u a u a u a u a")).toBe(4);
    expect(cutIn(lastTokensFromTurnStart(10_000), "u a u a")).toBe(0);
    const oversizeInTheMiddle = scriptThread("u1 a1 u2 a2 u3 a3", (id) => (id === "a2" ? 500 : 10));
    expect(lastTokensFromTurnStart(100)(contextOf(oversizeInTheMiddle, 1))).toBe(4);
  });

  it("seed 001: cut before a user message for pi, never inside a turn that fits", () => {
    expect(cutIn(lastTokensSplittingTurns(45), "u a t a u a t a")).toBe(4);
    expect(cutIn(lastTokensSplittingTurns(75), "u a t a u a t a")).toBe(4);
  });

  it("L20 split a turn larger than the kept part before an assistant message, never at a tool result", () => {
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

  it("keep whole turns up to about the token limit, and an oversized newest turn whole", () => {
    expect(cutIn(lastTokensInWholeTurns(45), "u a t a u a t a")).toBe(4);
    expect(cutIn(lastTokensInWholeTurns(75), "u a t a u a t a")).toBe(4);
    expect(cutIn(lastTokensInWholeTurns(10_000), "u a t a u a t a")).toBe(0);
    expect(cutIn(lastTokensInWholeTurns(60), `u a ${"u a t a t a t a t a t"}`)).toBe(2);
    expect(cutIn(lastTokensInWholeTurns(60), "a t a t a t a t a t")).toBe(0);
  });

  it("a window that summarizes shows the summarizer the first kept messages, with the last run only", () => {
    const context = contextFor("u1 a1 u2 a2 u3 a3 u4 a4", 300);
    const window = (overlap: number) =>
      windowStrategy({ name: "turns", cut: lastTurns(2), fold: "summarize", overlap }).analyze(context);
    expect(window(2)).toMatchObject([{ action: "summarize", ordinals: [0, 1, 2, 3], overlap: [4, 5] }]);
    expect(window(0)[0]).not.toHaveProperty("overlap");
    const nothingOlder = windowStrategy({ name: "turns", cut: lastTurns(9), fold: "summarize", overlap: 2 });
    expect(nothingOlder.analyze(context)).toEqual([]);
  });

  it("a window with one summary keeps the newest requests, cuts one that fits in part, and summarizes the rest", () => {
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

  it("cut by steps inside an autonomous run that is one endless turn", () => {
    expect(cutIn(lastSteps(2), "u a t a t t a t a")).toBe(6);
    expect(cutIn(lastSteps(9), "u a t a")).toBe(0);
    expect(cutIn(lastSteps(0), "u a t a")).toBe(4);
  });

  it("S7 never fold into the minimum that a window keeps", () => {
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

  it("S23 keep what precedes the first user message in a turn window", () => {
    const context = contextFor("a0 a0 u1 a1 u2 a2");
    const window = windowStrategy({ name: "turns", cut: lastTurns(1), fold: "drop", keepPreamble: true });
    expect(window.analyze(context).flatMap(({ ordinals }) => ordinals)).toEqual([2, 3]);
  });

  it("L26 never separate a call from any of its results", () => {
    const context = contextFor("u1 a1 t1 t1 t1 u2 a2");
    for (let count = 0; count < 7; count++) {
      const window = windowStrategy({ name: "last", cut: lastMessages(count), fold: "drop" });
      const gone = new Set(window.analyze(context).flatMap(({ ordinals }) => ordinals));
      expect([1, 2, 3, 4].every((ordinal) => gone.has(ordinal)) || [1, 2, 3, 4].every((o) => !gone.has(o))).toBe(true);
    }
  });

  it("S13 S24 reject counts that are not whole numbers of at least 0", () => {
    for (const count of [-1, 1.5, Number.NaN]) {
      for (const [option, cut] of [
        ["maxEvents", lastMessagesFromTurnStart],
        ["recentMessagesToKeep", lastMessages],
        ["maxTurns", lastTurns],
        ["maxSteps", lastSteps],
        ["maxTokens", lastTokensFromTurnStart],
        ["keepTokens", lastTokens],
        ["keepRecentTokens", lastTokensSplittingTurns],
        ["keepRecentTokens", lastTokensInWholeTurns],
      ] as const) {
        const named = expect.stringContaining(`${option} is ${count};`);
        expect(() => cut(count)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", message: named }));
        expect(() => cut(0)).not.toThrow();
      }
    }
    for (const share of [-0.1, 0, 1, 1.5, Number.NaN])
      expect(() => lastShareOfMessages(share)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });
});

/** Contexts of every kind, among them some whose room is so small that a window may keep half of it and no more. */
const roomyAndNarrow: fc.Arbitrary<StrategyContext> = fc
  .tuple(strategyContexts, fc.constantFrom(100_000, 400, 101))
  .map(([context, maxInputTokens]) => ({ ...context, config: { ...context.config, maxInputTokens } }));

/** What a window measures of a message: its tokens, or that it is one. */
type Measure = (ordinal: number) => number;
const asOne: Measure = () => 1;
const asTokens = ({ shape, renderedTokens }: StrategyContext): Measure => {
  return (ordinal) => renderedTokens(shape.header(ordinal));
};

/** What the messages that windows count take from this one on. */
const keptFrom = (ordinal: number, context: StrategyContext, measure: Measure): number =>
  realMessages(context)
    .filter((header) => header.ordinal >= ordinal)
    .reduce((sum, header) => sum + measure(header.ordinal), 0);

/** The first message from which on everything fits; the end of the thread when nothing does. */
const longestSuffix = (context: StrategyContext, limit: number, measure: Measure): number =>
  realMessages(context).find(({ ordinal }) => keptFrom(ordinal, context, measure) <= limit)?.ordinal ??
  context.shape.length;

describe("the laws of cut points", () => {
  it("a window from a turn start keeps as many turns as fit, and no more", () => {
    fc.assert(
      fc.property(roomyAndNarrow, fc.nat(30), fc.nat(600), (context, messages, tokens) => {
        const summaries = Array.from({ length: context.shape.length }, (_, ordinal) => context.shape.header(ordinal))
          .filter(({ branch, origin }) => branch === undefined && origin === "compaction")
          .reduce((sum, header) => sum + context.renderedTokens(header), 0);
        const room = Math.min(tokens, Math.floor(context.config.maxInputTokens / 2)) - summaries;
        for (const [cut, limit, measure] of [
          [lastMessagesFromTurnStart(messages), messages, asOne],
          [lastTokensFromTurnStart(tokens), room, asTokens(context)],
        ] as const) {
          const at = cut(context);
          if (keptFrom(0, context, measure) <= limit) expect(at).toBe(0);
          expect(keptFrom(at, context, measure)).toBeLessThanOrEqual(Math.max(0, limit));
          if (at > 0 && at < context.shape.length) expect(context.shape.header(at).startsTurn).toBe(true);
          for (const { ordinal, startsTurn } of realMessages(context))
            if (startsTurn && ordinal < at) expect(keptFrom(ordinal, context, measure)).toBeGreaterThan(limit);
        }
      }),
      runs(200),
    );
  });

  it("a window that may start anywhere keeps all that fits, plus only the call of a kept result", () => {
    fc.assert(
      fc.property(roomyAndNarrow, fc.nat(30), fc.nat(600), (context, messages, tokens) => {
        const room = Math.min(tokens, Math.floor(context.config.maxInputTokens / 2));
        for (const [cut, limit, measure] of [
          [lastMessages(messages), messages, asOne],
          [lastTokens(tokens), room, asTokens(context)],
        ] as const) {
          const at = cut(context);
          const fitting = longestSuffix(context, limit, measure);
          if (keptFrom(0, context, measure) <= limit) expect(at).toBe(0);
          else expect(at).toBeLessThanOrEqual(fitting);
          if (at === 0 || at === context.shape.length) continue;
          expect(context.shape.header(at).role).not.toBe("tool");
          for (let beyond = at + 1; beyond <= fitting; beyond++) expect(context.shape.header(beyond).role).toBe("tool");
        }
      }),
      runs(200),
    );
  });

  it("a window of turns or steps keeps that many, or all, with what precedes the first", () => {
    fc.assert(
      fc.property(strategyContexts, fc.nat(12), (context, count) => {
        const turns = realMessages(context).filter(({ startsTurn }) => startsTurn);
        const steps = realMessages(context).filter(({ role }) => role === "assistant");
        for (const [cut, units] of [
          [lastTurns(count), turns],
          [lastSteps(count), steps],
        ] as const) {
          const at = cut(context);
          const kept = units.filter(({ ordinal }) => ordinal >= at);
          expect(kept).toHaveLength(Math.min(count, units.length));
          if (count >= units.length) expect(at).toBe(0);
          else expect(at).toBe(kept[0]?.ordinal ?? context.shape.length);
        }
      }),
      runs(200),
    );
  });
});

describe("the messages that windows count", () => {
  const thread = threadOf(
    system("rules", "Be brief."),
    user("wrote", "An earlier tool's summary.", { origin: "compaction" }),
    user("u1", "One."),
    user("side", "Aside.", { branch: "b" }),
    assistant("a1", "Two."),
    user("u2", "Three."),
    assistant("a2", "Four."),
    user("u3", "Five."),
  );
  const held = new Map([
    [2, "drop"],
    [4, "summarize"],
    [5, "clear"],
  ]);
  const folded: StrategyContext = {
    ...contextOf(thread, 1),
    heldBy: (ordinal) => (held.has(ordinal) ? ({ action: held.get(ordinal) } as never) : undefined),
    renderedTokens: ({ ordinal }) => (held.get(ordinal) === "drop" ? 0 : 10),
  };

  it("are those still shown on the main branch, even empty ones, but no rules and no summaries", () => {
    expect(realMessages(folded).map(({ ordinal }) => ordinal)).toEqual([5, 6, 7]);
  });

  it("share a turn-aligned token window with earlier summaries, whoever wrote them", () => {
    // Of 50 tokens two summaries take 20. What is left is just enough for the three messages.
    expect(lastTokensFromTurnStart(50)(folded)).toBe(0);
    expect(lastTokensFromTurnStart(49)(folded)).toBe(7);
    // A window that may begin anywhere counts its own messages alone.
    expect(lastTokens(30)(folded)).toBe(0);
    expect(lastTokens(29)(folded)).toBe(6);
    const aside = threadOf(
      message("side", "user", "A summary aside.", { branch: "b", origin: "compaction" }),
      user("u1", "One."),
      assistant("a1", "Two."),
    );
    const beside = { ...contextOf(aside, 1), renderedTokens: () => 10 };
    expect(lastTokensFromTurnStart(20)(beside)).toBe(0);
  });
});

describe("a turn about as large as a token window", () => {
  const script = "u0 a0 u1 a1 t1 a2 u2 a3";

  it("is left out if it would fit alone, and split or kept whole if it would not", () => {
    // The second turn takes 40 tokens, and with the newest turn it does not fit.
    expect(cutIn(lastTokensSplittingTurns(40), script)).toBe(6);
    expect(cutIn(lastTokensInWholeTurns(40), script)).toBe(6);
    // Thirty-nine tokens leave room for one message of it.
    expect(cutIn(lastTokensSplittingTurns(39), script)).toBe(5);
    expect(cutIn(lastTokensInWholeTurns(39), script)).toBe(2);
  });

  it("is split after the results of a call before the cut", () => {
    expect(cutIn(lastTokensSplittingTurns(45), "u0 a0 u1 a1 t1 t1 a2 a3 a4")).toBe(6);
  });

  it("is left out if not even the newest message fits, and kept if everything does", () => {
    for (const cut of [lastTokensSplittingTurns, lastTokensInWholeTurns]) {
      expect(cutIn(cut(9), script)).toBe(8);
      expect(cutIn(cut(80), script)).toBe(0);
    }
  });

  it("is measured against half of the room if the window asks for more", () => {
    const context = contextFor(script);
    const narrow = { ...context, config: { ...context.config, maxInputTokens: 100, outputReserveTokens: 21 } };
    expect(lastTokensSplittingTurns(1_000)(narrow)).toBe(5);
    expect(lastTokensInWholeTurns(1_000)(narrow)).toBe(2);
  });
});

describe("a cut at the edge of a thread", () => {
  it("follows results that end the thread without their call, and precedes results that begin it", () => {
    expect(cutIn(lastShareOfMessages(0.4), "u a t")).toBe(3);
    expect(cutIn(lastMessages(2), "t t a")).toBe(0);
  });

  it("is at the end if nothing is kept, and at the start if everything is", () => {
    for (const cut of [lastMessages, lastMessagesFromTurnStart, lastTurns, lastSteps, lastTokens])
      expect(cutIn(cut(0), "u a t")).toBe(3);
    expect(nothing(contextFor("u a t"))).toBe(3);
    expect(cutIn(lastMessages(3), "s u a t")).toBe(0);
    expect(cutIn(lastMessagesFromTurnStart(3), "s a u a")).toBe(0);
    expect(cutIn(lastTurns(1), "s a u a")).toBe(0);
    expect(cutIn(lastSteps(2), "u a u a")).toBe(0);
  });
});
