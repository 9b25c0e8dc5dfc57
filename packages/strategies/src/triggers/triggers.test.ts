import { AgentThread, asMessageId, asThreadId, type MessageInput } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clearStrategy } from "../ladder/clear-strategy.ts";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import { strategyContexts } from "../laws/strategy-context-arbitrary.ts";
import type { CompactionTrigger, TriggerInput } from "./compaction-trigger.ts";
import { allOf, anyOf, towards } from "./composite-trigger.ts";
import {
  messageCountTrigger,
  messageTokensTrigger,
  shownMessageCountTrigger,
  shownTurnCountTrigger,
  stepCountTrigger,
  tokenCountTrigger,
  turnCountTrigger,
} from "./count-triggers.ts";
import {
  coldCacheTrigger,
  hardAfterCutOff,
  idleTrigger,
  manualTrigger,
  maxOutputTrigger,
  overflowTrigger,
} from "./event-triggers.ts";
import {
  contextTokensTrigger,
  growthTrigger,
  overRoomTrigger,
  reportedUsageTrigger,
  softLimitTrigger,
  tokenFractionTrigger,
  usedTokensTrigger,
  whenAbove,
} from "./size-triggers.ts";

const idle: TriggerInput = { tokens: 0, roomTokens: 1_000, turns: 0, steps: 0, messages: 0 };
const level = (trigger: CompactionTrigger, input: Partial<TriggerInput>) =>
  trigger.evaluate({ ...idle, ...input }).level;

describe("triggers", () => {
  it("S1 fire one over the threshold for turns, steps and messages, and at it for tokens", () => {
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

  it("S2 stay silent for an empty session", () => {
    const triggers = [
      turnCountTrigger(1),
      tokenCountTrigger(1),
      tokenFractionTrigger(0.5),
      overflowTrigger,
      maxOutputTrigger(),
      reportedUsageTrigger(0.5),
      idleTrigger(0, 0.5),
      coldCacheTrigger(0.5),
      growthTrigger(1),
      manualTrigger,
    ];
    for (const trigger of triggers) {
      expect(level(trigger, {})).toBe("none");
    }
  });

  it("fire hard above the cap and after an overflow", () => {
    expect(level(tokenFractionTrigger(0.85), { tokens: 1_001 })).toBe("hard");
    expect(level(tokenFractionTrigger(0.85), { tokens: 1_000 })).toBe("soft");
    expect(level(overflowTrigger, { overflowed: true })).toBe("hard");
  });

  it("fire hard above a limit that is smaller than the room, whatever they measure", () => {
    const over = { tokens: 901, reportedTokens: 901, limitTokens: 900, turns: 9, steps: 9, messages: 9 };
    const triggers = [
      tokenFractionTrigger(0.85),
      reportedUsageTrigger(0.85),
      growthTrigger(1),
      tokenCountTrigger(1),
      turnCountTrigger(1),
      stepCountTrigger(1),
      messageCountTrigger(1),
      overRoomTrigger,
    ];
    for (const trigger of triggers) {
      expect([trigger.name, level(trigger, over)]).toEqual([trigger.name, "hard"]);
      expect(level(trigger, { ...over, tokens: 900, reportedTokens: 900 })).not.toBe("hard");
    }
  });

  it("fire softly above the soft limit, by either token count, or else above the limit", () => {
    expect(level(softLimitTrigger, { tokens: 700, softLimit: 700 })).toBe("none");
    expect(level(softLimitTrigger, { tokens: 701, softLimit: 700 })).toBe("soft");
    expect(level(softLimitTrigger, { tokens: 1, reportedTokens: 701, softLimit: 700 })).toBe("soft");
    expect(level(softLimitTrigger, { tokens: 901, limitTokens: 900 })).toBe("soft");
    expect(level(softLimitTrigger, { tokens: 1_000 })).toBe("none");
  });

  it("use the higher of our own token count and the provider's", () => {
    expect(level(tokenFractionTrigger(0.85), { tokens: 10, reportedTokens: 900 })).toBe("soft");
  });

  it("S4 fire for an empty allOf, but not for an empty anyOf", () => {
    expect(level(allOf(), {})).toBe("soft");
    expect(level(anyOf(), {})).toBe("none");
  });

  it("spring-10 compose: anyOf needs one, allOf needs every one, and the hardest level wins", () => {
    const turns = turnCountTrigger(2);
    const tokens = tokenCountTrigger(100);
    expect(level(anyOf(turns, tokens), { turns: 3 })).toBe("soft");
    expect(level(allOf(turns, tokens), { turns: 3 })).toBe("none");
    expect(level(allOf(turns, tokens), { turns: 3, tokens: 5_000 })).toBe("hard");
    expect(level(anyOf(allOf(turns, tokens), overflowTrigger), { overflowed: true })).toBe("hard");
  });

  it("S3 spring-7 count neither synthetic messages nor side branches as turns", () => {
    const say = (id: string, more: Partial<MessageInput> = {}): MessageInput => ({
      id: asMessageId(id),
      role: "user",
      parts: [{ type: "text", text: id }],
      createdAt: "2026-01-01T00:00:00.000Z",
      ...more,
    });
    const thread = AgentThread.empty(asThreadId("t")).append([
      say("u1"),
      say("reminder", { origin: "harness" }),
      say("summary", { origin: "compaction" }),
      say("side", { branch: "b" }),
      say("u2"),
    ]);
    expect(thread.position.turn).toBe(2);
    expect(level(turnCountTrigger(2), { turns: thread.position.turn, messages: thread.length })).toBe("none");
    expect(level(turnCountTrigger(1), { turns: thread.position.turn, messages: thread.length })).toBe("soft");
  });

  it("S12 propose nothing below half, only clear results up to four fifths, and drop groups above that", () => {
    const trigger = tokenFractionTrigger(0.5);
    expect(level(trigger, { tokens: 499 })).toBe("none");
    expect(level(trigger, { tokens: 500 })).toBe("soft");
    const gentle = whenAbove(0.5, clearStrategy);
    const harsh = whenAbove(0.8, dropStrategy);
    fc.assert(
      fc.property(strategyContexts, fc.integer({ min: 1, max: 100 }), (base, percent) => {
        const maxInputTokens = 1_000;
        const config = { ...base.config, maxInputTokens, targetPercent: 0.1 };
        const context = { ...base, config, needed: percent * 10 - 100 };
        expect(gentle.analyze(context)).toEqual(percent > 50 ? clearStrategy.analyze(context) : []);
        expect(harsh.analyze(context)).toEqual(percent > 80 ? dropStrategy.analyze(context) : []);
      }),
      runs(60),
    );
  });

  it("S25 combine several reasons to the hardest level and the smallest target", () => {
    const tokens = towards(0.5, tokenFractionTrigger(0.8));
    const messages = towards(0.3, messageCountTrigger(10));
    const trigger = anyOf(tokens, messages, manualTrigger);
    expect(trigger.evaluate({ ...idle, tokens: 900, messages: 11, requested: true })).toMatchObject({
      level: "hard",
      targetTokens: 300,
    });
    expect(trigger.evaluate({ ...idle, tokens: 900, messages: 5 })).toMatchObject({ level: "soft", targetTokens: 500 });
    expect(trigger.evaluate({ ...idle, requested: true })).not.toHaveProperty("targetTokens");
    expect(allOf(tokens, messages).evaluate({ ...idle, tokens: 900, messages: 11 })).toMatchObject({
      targetTokens: 300,
    });
  });

  it("S34 fire only after the requested growth, measured from the last fold", () => {
    const trigger = growthTrigger(200);
    expect(level(trigger, { tokens: 199 })).toBe("none");
    expect(level(trigger, { tokens: 200 })).toBe("soft");
    expect(level(trigger, { tokens: 600, baselineTokens: 401 })).toBe("none");
    expect(level(trigger, { tokens: 601, baselineTokens: 401 })).toBe("soft");
    expect(level(trigger, { tokens: 1_001, baselineTokens: 401 })).toBe("hard");
  });

  it("L17 L18 use the provider's token count if there is one, and ignore its absence", () => {
    expect(level(reportedUsageTrigger(0.8), { tokens: 999 })).toBe("none");
    expect(level(reportedUsageTrigger(0.8), { reportedTokens: 799 })).toBe("none");
    expect(level(reportedUsageTrigger(0.8), { reportedTokens: 800 })).toBe("soft");
    expect(level(reportedUsageTrigger(0.8), { reportedTokens: 1_001 })).toBe("hard");
  });

  it("fire after an answer was cut off if the prompt takes up most of the room", () => {
    expect(level(maxOutputTrigger(), { stoppedAtMaxOutput: true, tokens: 500 })).toBe("hard");
    expect(level(maxOutputTrigger(), { stoppedAtMaxOutput: true, tokens: 499 })).toBe("none");
    expect(level(maxOutputTrigger(), { tokens: 900 })).toBe("none");
  });

  it("fire on a pause or a cold cache once there is enough to fold", () => {
    expect(level(idleTrigger(300, 0.6), { idleSeconds: 300, tokens: 600 })).toBe("soft");
    expect(level(idleTrigger(300, 0.6), { idleSeconds: 299, tokens: 600 })).toBe("none");
    expect(level(idleTrigger(300, 0.6), { tokens: 900 })).toBe("none");
    expect(level(coldCacheTrigger(0.6), { cacheIsCold: true, tokens: 600 })).toBe("soft");
    expect(level(coldCacheTrigger(0.6), { cacheIsCold: true, tokens: 599 })).toBe("none");
    expect(level(coldCacheTrigger(0.6), { tokens: 900 })).toBe("none");
  });

  it("S11 reject thresholds out of range", () => {
    for (const fraction of [0, -1, 1.1, Number.NaN]) {
      expect(() => tokenFractionTrigger(fraction)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    }
    for (const refused of [
      () => maxOutputTrigger(2),
      () => reportedUsageTrigger(0),
      () => idleTrigger(-1, 0.5),
      () => growthTrigger(0),
      () => towards(0, manualTrigger),
      () => towards([1] as never, manualTrigger),
      () => towards(1, undefined as never),
      () => whenAbove([1] as never, dropStrategy),
      () => whenAbove(1, {} as never),
    ]) {
      expect(refused).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    }
    expect(() => turnCountTrigger(-1)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    expect(tokenFractionTrigger(1).name).toBe("token-fraction 1");
  });
});

describe("triggers that count differently from the request", () => {
  it("exclude what precedes the first message when they count message tokens", () => {
    const trigger = messageTokensTrigger(400);
    expect(level(trigger, { tokens: 499, overheadTokens: 100 })).toBe("none");
    expect(level(trigger, { tokens: 500, overheadTokens: 100 })).toBe("soft");
    expect(level(trigger, { tokens: 400 })).toBe("soft");
    expect(trigger.evaluate({ ...idle, tokens: 550, overheadTokens: 100 })).toMatchObject({
      reason: "450 tokens of messages reach the threshold of 400",
    });
  });

  it("count only turns and messages still shown, if that is known", () => {
    const [turns, messages] = [shownTurnCountTrigger(3), shownMessageCountTrigger(3)];
    expect([level(turns, { turns: 9, shownTurns: 3 }), level(turns, { turns: 9, shownTurns: 4 })]).toEqual([
      ...["none", "soft"],
    ]);
    expect([level(turns, { turns: 3 }), level(turns, { turns: 4 })]).toEqual(["none", "soft"]);
    expect([
      level(messages, { messages: 9, shownMessages: 3 }),
      level(messages, { messages: 9, shownMessages: 4 }),
    ]).toEqual(["none", "soft"]);
    expect([level(messages, { messages: 3 }), level(messages, { messages: 4 })]).toEqual(["none", "soft"]);
    for (const trigger of [turns, messages]) {
      const many = { turns: 9, messages: 9, tokens: 901 };
      expect([level(trigger, { ...many, limitTokens: 900 }), level(trigger, many)]).toEqual(["hard", "soft"]);
    }
    expect([turns.name, messages.name]).toEqual(["shown-turn-count 3", "shown-message-count 3"]);
  });

  it("use the higher of both counts for used tokens, and add the provider's answer for context tokens", () => {
    const [used, context] = [usedTokensTrigger(400), contextTokensTrigger(400)];
    for (const trigger of [used, context]) {
      expect([level(trigger, { tokens: 399 }), level(trigger, { tokens: 400 })]).toEqual(["none", "soft"]);
      expect(level(trigger, { tokens: 10, reportedTokens: 400 })).toBe("soft");
      expect([level(trigger, { tokens: 1_000 }), level(trigger, { tokens: 1_001 })]).toEqual(["soft", "hard"]);
      expect(level(trigger, { tokens: 901, limitTokens: 900 })).toBe("hard");
    }
    const answered = { tokens: 10, reportedTokens: 300, unshownTokens: 100 };
    expect([level(used, answered), level(context, answered)]).toEqual(["none", "soft"]);
    expect(level(context, { ...answered, unshownTokens: 99 })).toBe("none");
  });

  it("with hardAfterCutOff turn hard after a cut-off answer if due, and stay silent if not", () => {
    const trigger = hardAfterCutOff(tokenCountTrigger(400));
    const cut = { stoppedAtMaxOutput: true };
    expect([level(trigger, { tokens: 400 }), level(trigger, { tokens: 400, ...cut })]).toEqual(["soft", "hard"]);
    expect(level(trigger, { tokens: 399, ...cut })).toBe("none");
    expect(level(trigger, { tokens: 400, stoppedAtMaxOutput: false })).toBe("soft");
    expect(trigger.evaluate({ ...idle, tokens: 400, ...cut })).toMatchObject({
      reason: "400 tokens reach the threshold of 400",
    });
    expect(trigger.name).toBe("token-count 400, hard after a cut-off");
  });

  it("ignore a pause of zero, and use the provider's count after a cut-off answer", () => {
    expect(level(idleTrigger(0, 0.5), { idleSeconds: 0, tokens: 900 })).toBe("none");
    expect(level(idleTrigger(0, 0.5), { idleSeconds: 1, tokens: 900 })).toBe("soft");
    expect(level(idleTrigger(300, 0.6), { idleSeconds: 300, tokens: 599 })).toBe("none");
    const cut = { stoppedAtMaxOutput: true, tokens: 10 };
    expect(level(maxOutputTrigger(), { ...cut, reportedTokens: 500 })).toBe("hard");
    expect(level(maxOutputTrigger(), { ...cut, reportedTokens: 499 })).toBe("none");
  });
});

describe("a trigger's words", () => {
  it("give the reason with figures that the user can check", () => {
    const reason = (trigger: CompactionTrigger, input: Partial<TriggerInput>) => {
      const decision = trigger.evaluate({ ...idle, ...input });
      return decision.level === "none" ? "nothing" : decision.reason;
    };
    expect([
      reason(tokenFractionTrigger(0.5), { tokens: 755 }),
      reason(reportedUsageTrigger(0.5), { reportedTokens: 755 }),
      reason(growthTrigger(100), { tokens: 755, baselineTokens: 500 }),
      reason(softLimitTrigger, { tokens: 755, softLimit: 700 }),
      reason(overRoomTrigger, { tokens: 755, limitTokens: 700 }),
      reason(idleTrigger(60, 0.5), { tokens: 755, idleSeconds: 61.9 }),
      reason(stepCountTrigger(7), { steps: 8 }),
    ]).toEqual([
      "755 tokens are 76 % of 1000",
      "the provider counted 755 tokens, 76 % of 1000",
      "255 tokens came on top of 500 since the last fold",
      "755 tokens are more than the soft limit of 700",
      "755 tokens exceed the limit of 700",
      "nothing was sent for 61 seconds",
      "8 steps reach the threshold of 7",
    ]);
  });

  it("give the reason of the hardest trigger, or the first of equally hard ones", () => {
    const [tokens, turns] = [tokenCountTrigger(100), turnCountTrigger(2)];
    const both = { ...idle, tokens: 200, turns: 3, requested: true };
    expect(anyOf(tokens, turns).evaluate(both)).toMatchObject({ reason: "200 tokens reach the threshold of 100" });
    expect(anyOf(tokens, manualTrigger).evaluate(both)).toMatchObject({ reason: "a fold was asked for" });
    expect(allOf(turns, tokens).evaluate(both)).toMatchObject({ reason: "3 turns reach the threshold of 2" });
    expect(allOf(tokens, turns, coldCacheTrigger(0.5)).evaluate(both)).toEqual({ level: "none" });
  });

  it("let the one that fails, or decides nothing, be known by its own name", () => {
    const fails: CompactionTrigger = {
      name: "nightly",
      evaluate: () => {
        throw new RangeError("no such hour: 25");
      },
    };
    const decidesNothing = { name: "undecided", evaluate: () => undefined as never };
    for (const made of [anyOf, allOf, (...triggers: CompactionTrigger[]) => towards(0.5, anyOf(...triggers))]) {
      const failed = { code: "INVALID_CONFIG", message: "The trigger nightly failed: RangeError: no such hour: 25." };
      expect(() => made(manualTrigger, fails).evaluate(idle)).toThrow(expect.objectContaining(failed));
      expect(() => made(manualTrigger, allOf(fails)).evaluate(idle)).toThrow(expect.objectContaining(failed));
      expect(() => made(decidesNothing).evaluate(idle)).toThrow(
        /^The trigger undecided failed: it returned no decision/,
      );
    }
    expect(() => hardAfterCutOff(decidesNothing).evaluate(idle)).toThrow(/^The trigger undecided failed/);
  });

  it("name the triggers and thresholds that it consists of", () => {
    const [tokens, turns] = [tokenCountTrigger(100), turnCountTrigger(2)];
    expect(anyOf(tokens, turns).name).toBe("any of (token-count 100, turn-count 2)");
    expect(allOf(tokens, towards(0.5, turns)).name).toBe("all of (token-count 100, turn-count 2 towards 0.5)");
    const others = [
      messageTokensTrigger(9),
      stepCountTrigger(9),
      messageCountTrigger(9),
      tokenFractionTrigger(0.9),
      reportedUsageTrigger(0.9),
      usedTokensTrigger(9),
      contextTokensTrigger(9),
      growthTrigger(9),
      maxOutputTrigger(0.9),
      idleTrigger(60, 0.9),
      coldCacheTrigger(0.9),
    ];
    expect(others.map(({ name }) => name)).toEqual([
      "message-tokens 9",
      "step-count 9",
      "message-count 9",
      "token-fraction 0.9",
      "reported-usage 0.9",
      "used-tokens 9",
      "context-tokens 9",
      "growth 9",
      "max-output 0.9",
      "idle 60 s 0.9",
      "cold-cache 0.9",
    ]);
  });
});

describe("a token target", () => {
  it("is rounded down, and never exceeds a target of the trigger itself", () => {
    const within = (outer: number, inner: number) =>
      towards(outer, towards(inner, manualTrigger)).evaluate({ ...idle, roomTokens: 1_001, requested: true });
    expect(within(0.5, 0.3)).toMatchObject({ level: "hard", targetTokens: 300 });
    expect(within(0.3, 0.5)).toMatchObject({ level: "hard", targetTokens: 300 });
    expect(towards(1, manualTrigger).evaluate({ ...idle, requested: true })).toMatchObject({ targetTokens: 1_000 });
    expect(towards(0.5, manualTrigger).evaluate(idle)).toEqual({ level: "none" });
  });
});

describe("trigger thresholds", () => {
  it("S11 are rejected with the trigger's name if invalid, and counts may be 0", () => {
    const refusedAs = (make: () => unknown, words: string) =>
      expect(make).toThrow(
        expect.objectContaining({ code: "INVALID_CONFIG", message: expect.stringContaining(words) }),
      );
    for (const threshold of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      refusedAs(() => tokenCountTrigger(threshold), `token-count is ${threshold};`);
      refusedAs(() => usedTokensTrigger(threshold), `used-tokens is ${threshold};`);
      refusedAs(() => idleTrigger(threshold, 0.5), `idle time is ${threshold} seconds;`);
      refusedAs(() => growthTrigger(threshold), `growth is ${threshold} tokens;`);
    }
    refusedAs(() => whenAbove(0, dropStrategy), "when-above is 0;");
    refusedAs(() => coldCacheTrigger(1.5), "cold-cache is 1.5;");
    refusedAs(() => idleTrigger(1, 0), "idle is 0;");
    refusedAs(() => towards(2, manualTrigger), "target is 2;");
    for (const make of [tokenCountTrigger, turnCountTrigger, usedTokensTrigger]) expect(() => make(0)).not.toThrow();
    expect(level(usedTokensTrigger(0), {})).toBe("soft");
  });
});
