import { type CompactionPlan, type DropRecord, emptyPlan, spanOf, ThreadfoldError } from "@threadfold/core";
import { assistant, call, message, result, text, tool } from "@threadfold/core/laws";
import { formatById } from "@threadfold/renderer";
import {
  type CompactionTrigger,
  clearStrategy,
  summarizeStrategy,
  type TriggerDecision,
  type TriggerInput,
  threadfoldPreset,
} from "@threadfold/strategies";
import { scriptThread } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { foldHistory } from "../state/breaker.ts";
import { isAsked, policyOfCall } from "../state/compact-options.ts";
import type { Turn } from "../state/turn-state.ts";
import { NO_USAGE, type UsageState } from "../state/usage.ts";
import { threadOf } from "../testing/fold-case.ts";
import { PLAIN_PRICE, triggeredBy, turnOf } from "../testing/turn-case.ts";
import { decide, type FoldDecision, foldConfig } from "./decide.ts";
import { shownTurns } from "./trigger.ts";
import { loopWait } from "./weigh-fold.ts";

const thread = scriptThread("u1 a1 t1 u2 a2 t2 u3 a3", 250);
const TOKENS = measureOf(thread);
const SOFT: TriggerDecision = { level: "soft", reason: "it is time" };
const HARD: TriggerDecision = { level: "hard", reason: "at once" };
/** A room of which the thread takes half, and the target a quarter. */
const roomy = { maxInputTokens: 2 * TOKENS, targetPercent: 0.25, safetyBufferTokens: 0, rehydrationReserveTokens: 0 };
type Fields = NonNullable<Parameters<typeof turnOf>[1]>;
const turn = (decision: TriggerDecision, { config, ...fields }: Fields = {}): Turn =>
  turnOf(thread, { preset: triggeredBy(decision), config: { ...roomy, ...config }, ...fields });

/** The records of a plan of this version that took these messages out. */
function planOf(version: number, ids: readonly string[], fields: Partial<CompactionPlan> = {}): CompactionPlan {
  const removed = [...thread.messages].filter(({ id }) => ids.includes(id));
  const dropOf = (messages: typeof removed): DropRecord => ({
    ...{ action: "drop", span: spanOf(messages), strategy: "drop", reason: "to make room", sincePlanVersion: 1 },
    ...{ originalTokens: 10, keywords: [] },
  });
  return { ...emptyPlan(thread.id, "test"), version, drops: removed.length === 0 ? [] : [dropOf(removed)], ...fields };
}

const declined = (decision: FoldDecision) => (decision.due ? null : decision.declined);
const reported = (fields: Partial<UsageState>): UsageState => ({ ...NO_USAGE, ...fields });
const measured = (planVersion: number, figures: Partial<NonNullable<UsageState["measured"]>> = {}) => ({
  ...{ planVersion, inputTokens: TOKENS, counted: TOKENS, unshown: 0, resent: 0 },
  ...figures,
});

function measureOf(of: typeof thread): number {
  const { renderer, plan } = turnOf(of);
  return renderer.measure(plan);
}

/** What only JavaScript throws. */
const TEXT: unknown = "no rows";

describe("decide", () => {
  it("follows the trigger, with the tokens of the request as it would be sent", () => {
    expect(decide(turn(SOFT), {})).toEqual({ due: true, decision: SOFT, tokens: TOKENS });
    expect(decide(turn(HARD), {})).toEqual({ due: true, decision: HARD, tokens: TOKENS });
    expect(declined(decide(turn({ level: "none" }), {}))).toMatchObject({
      ...{ decision: { level: "none" }, attempted: false, waitCalls: 0, weighing: null },
      result: { type: "no-op", tokens: { before: TOKENS, after: TOKENS } },
    });
  });

  it.each<readonly [string, unknown, string]>([
    [
      "throws",
      () => {
        throw new TypeError("no rows");
      },
      "TypeError: no rows",
    ],
    [
      "throws a text",
      () => {
        throw TEXT;
      },
      "no rows",
    ],
    ["returns nothing", () => undefined, "level"],
    ["returns a promise", async () => SOFT, "level"],
    ["returns another level", () => ({ level: "maybe" }), "level"],
  ])("names a trigger that %s", (_what, evaluate, said) => {
    const trigger = { name: "nightly", evaluate } as CompactionTrigger;
    const refusal = { code: "INVALID_CONFIG", message: expect.stringMatching(`^The trigger nightly .*${said}`) };
    const thrownBy = (call: () => unknown): unknown => {
      try {
        return call();
      } catch (error) {
        return error;
      }
    };
    expect(
      thrownBy(() => decide({ ...turn(SOFT), preset: { ...threadfoldPreset, trigger: () => trigger } }, {})),
    ).toMatchObject(refusal);
    const asked = turn(SOFT);
    const { preset } = policyOfCall(asked.preset, asked.config, { trigger });
    expect(thrownBy(() => decide({ ...asked, preset }, { trigger }))).toMatchObject(refusal);
  });

  it("names the preset whose trigger cannot be made, and passes typed errors on as they are", () => {
    const broken = (error: Error): Turn["preset"] => ({
      ...{ ...threadfoldPreset, name: "mine" },
      trigger: () => {
        throw error;
      },
    });
    expect(() => decide({ ...turn(SOFT), preset: broken(new RangeError("no share")) }, {})).toThrow(
      "The trigger of the preset mine failed: RangeError: no share",
    );
    const typed = new ThreadfoldError("HISTORY_NOT_LOADED", "It is in the store.");
    expect(() => decide({ ...turn(SOFT), preset: broken(typed) }, {})).toThrow(typed);
  });

  it("does not fold a second time for a request that was refused again after a fold, and says so", () => {
    const reason = (overflow: UsageState["overflow"]) => {
      const result = declined(decide(turn({ level: "none" }, { usage: reported({ overflow }) }), {}))?.result;
      return result?.type === "no-op" ? result.reason : undefined;
    };
    expect(reason("exhausted")).toContain("refused");
    for (const overflow of ["none", "answered"] as const) expect(reason(overflow)).toContain("below the trigger");
  });

  it("does not fold a request within the target unless the fold is forced", () => {
    const at = (targetPercent: number, options = {}) => decide(turn(HARD, { config: { targetPercent } }), options).due;
    expect(at(0.5)).toBe(false);
    expect(at(0.499)).toBe(true);
    expect(at(0.5, { force: true })).toBe(true);
    // Here the next fold would come too soon above the usual target.
    const fast = { targetPercent: 0.5, minCallsPerFold: 100 };
    expect(decide(turn(HARD, { config: fast }), {}).due).toBe(true);
  });

  it.each<[string, Fields, TriggerDecision, boolean]>([
    ["nothing came since", {}, SOFT, false],
    ["the trigger leaves no choice", {}, HARD, true],
    [
      "there is no plan yet",
      { plan: planOf(0, [], { compactedTokens: 9_999, threadVersion: thread.version }) },
      SOFT,
      true,
    ],
    [
      "a message came",
      { plan: planOf(2, [], { compactedTokens: TOKENS, threadVersion: thread.version - 1 }) },
      SOFT,
      true,
    ],
    [
      "the request grew",
      { plan: planOf(2, [], { compactedTokens: TOKENS - 1, threadVersion: thread.version }) },
      SOFT,
      true,
    ],
    ["the provider counted it", { usage: reported({ measured: measured(2) }) }, SOFT, true],
    ["the provider counted an earlier plan", { usage: reported({ measured: measured(1) }) }, SOFT, false],
  ])(
    "folds an already folded request again only if something is new or the fold is hard or forced: %s",
    (_why, fields, decision, due) => {
      const plan = planOf(2, [], { compactedTokens: TOKENS, threadVersion: thread.version });
      expect(decide(turn(decision, { plan, ...fields }), {}).due).toBe(due);
      expect(decide(turn(decision, { plan, ...fields }), { force: true }).due).toBe(true);
    },
  );

  it("postpones without an attempt while the breaker is open or a postponed fold waits", () => {
    const history = { ...foldHistory(0), failures: 3, notBefore: 100 };
    expect(declined(decide(turn(SOFT, { history }), {}))).toMatchObject({
      attempted: false,
      result: { type: "postponed" },
    });
    expect(decide(turn(HARD, { history }), {}).due).toBe(true);
    expect(decide(turn(SOFT, { history }), { force: true }).due).toBe(true);
    expect(decide(turn(SOFT, { history, config: { breakerFailures: 4 } }), {}).due).toBe(false);
    // A wait ends when the cache goes cold, as far as anybody knows the prices.
    const waiting = { ...history, failures: 0 };
    const after = (idleSeconds: number | undefined, price = [PLAIN_PRICE]) =>
      decide(turn(SOFT, { history: waiting, idleSeconds, price: price[0] }), {}).due;
    expect([after(60), after(61), after(undefined), after(61, [])]).toEqual([false, true, true, false]);
  });

  it("postpones a soft fold that does not pay yet, and counts it as attempted", () => {
    const dear = { price: PLAIN_PRICE, idleSeconds: 1 };
    const config = { costModelEnabled: true, expectedCallsPrior: 0 };
    const put = declined(decide(turn(SOFT, { ...dear, config }), {}));
    // All that is left is written anew at nine times what each call then saves: nine calls, and three were made.
    const half = TOKENS / 2;
    expect(put?.weighing).toMatchObject({ before: TOKENS, after: half, suffix: half, expectedCalls: 3 });
    expect(put?.weighing?.breakEvenCalls).toBeCloseTo(9);
    expect(put).toMatchObject({
      attempted: true,
      waitCalls: 1,
      result: { type: "postponed", tokens: { after: TOKENS } },
    });
    expect(decide(turn(SOFT, { ...dear, config: { ...config, costModelEnabled: false } }), {}).due).toBe(true);
    expect(decide(turn(SOFT, { ...dear, config: { ...config, expectedCallsPrior: 6 } }), {}).due).toBe(true);
    expect(decide(turn(SOFT, { ...dear, config: { ...config, expectedCallsPrior: 5 } }), {}).due).toBe(false);
    expect(decide(turn(HARD, { ...dear, config }), {}).due).toBe(true);
    expect(decide(turn(SOFT, { idleSeconds: 1, config }), {}).due).toBe(true);
    expect(decide(turn(SOFT, { ...dear, config, idleSeconds: 61 }), {}).due).toBe(true);
    // What stands in front of the first message is never written anew.
    expect(declined(decide(turn(SOFT, { ...dear, config, overheadTokens: 300 }), {}))?.weighing?.suffix).toBe(
      half - 300,
    );
  });

  it("always folds after a provider compaction, except for a call with its own strategy", () => {
    const providerItem = thread.messageAt(1)?.id;
    const quiet = turn({ level: "none" }, providerItem === undefined ? {} : { providerItem });
    expect(decide(quiet, {})).toMatchObject({ due: true, decision: { level: "hard" }, tokens: TOKENS });
    expect(decide(quiet, { force: true })).toMatchObject({ decision: { reason: "a fold was asked for" } });
    expect(decide(quiet, { strategy: summarizeStrategy }).due).toBe(false);
  });
});

describe("the trigger's input", () => {
  function told(fields: Fields, options = {}): TriggerInput {
    const inputs: TriggerInput[] = [];
    const preset = triggeredBy({ level: "none" }, (input) => inputs.push(input as TriggerInput));
    decide(turn(SOFT, { ...fields, preset }), options);
    return inputs[0] as TriggerInput;
  }

  it("holds the sizes of the request, its room and its thread", () => {
    const config = {
      ...{ maxInputTokens: 4_000, outputReserveTokens: 1_000, safetyBufferTokens: 100, softThresholdPercent: 0.8 },
    };
    expect(told({ config, overheadTokens: 7, plan: planOf(2, [], { compactedTokens: 55 }) })).toMatchObject({
      ...{ tokens: TOKENS, overheadTokens: 7, roomTokens: 3_000, limitTokens: 2_900, softLimit: 2_400 },
      ...{ turns: 3, steps: 3, messages: 8, baselineTokens: 55, requested: false },
      ...{ overflowed: false, stoppedAtMaxOutput: false, cacheIsCold: false },
    });
    expect(told({}, { force: true }).requested).toBe(true);
  });

  it("counts the messages and turns that the plan still shows", () => {
    expect(told({})).toMatchObject({ shownMessages: 8, shownTurns: 3 });
    const plan = planOf(1, ["u1", "a1", "t1"]);
    expect(told({ plan })).toMatchObject({ messages: 8, turns: 3, shownMessages: 5, shownTurns: 2 });
  });

  it("counts as shown the turns whose user message the plan keeps, whatever else it removes", () => {
    const all = [...thread.messages];
    for (let subset = 0; subset < 2 ** all.length; subset++) {
      const removed = all.filter((_, index) => (subset >> index) % 2 === 1);
      const plan = planOf(
        1,
        removed.map(({ id }) => id),
      );
      const users = removed.filter(({ role }) => role === "user").length;
      expect(shownTurns(3, plan, turn(SOFT).state), `of ${removed.map(({ id }) => id)}`).toBe(3 - users);
    }
  });

  it("holds the provider's token report and the unshown tokens only for the current plan", () => {
    const usage = reported({ measured: measured(2, { inputTokens: 2 * TOKENS, unshown: 70, resent: 20 }) });
    expect(told({ plan: planOf(2, []), usage })).toMatchObject({
      tokens: 2 * TOKENS,
      reportedTokens: 2 * TOKENS,
      unshownTokens: 50,
    });
    for (const earlier of [told({ plan: planOf(1, []), usage }), told({})]) {
      expect(earlier).not.toHaveProperty("reportedTokens");
      expect(earlier).not.toHaveProperty("unshownTokens");
    }
  });

  it("flags unanswered overflows and output cut-offs, idle time and a cold cache", () => {
    for (const state of ["none", "pending", "answered", "exhausted"] as const) {
      const isOpen = state === "pending";
      expect(told({ usage: reported({ overflow: state }) }).overflowed, state).toBe(isOpen);
      expect(told({ usage: reported({ maxOutput: state }) }).stoppedAtMaxOutput, state).toBe(isOpen);
    }
    expect(told({ price: PLAIN_PRICE })).not.toHaveProperty("idleSeconds");
    expect(told({ price: PLAIN_PRICE }).cacheIsCold).toBe(false);
    expect(told({ price: PLAIN_PRICE, idleSeconds: 60 })).toMatchObject({ idleSeconds: 60, cacheIsCold: false });
    expect(told({ price: PLAIN_PRICE, idleSeconds: 61 }).cacheIsCold).toBe(true);
    expect(told({ idleSeconds: 61 }).cacheIsCold).toBe(false);
  });
});

describe("the target of a fold", () => {
  const half = TOKENS / 2;
  const target = (decision: Partial<TriggerDecision>, force = false, config = {}) => {
    const { maxInputTokens, targetPercent } = foldConfig(
      turn(SOFT, { config }),
      { ...HARD, ...decision } as never,
      force,
    );
    return Math.round(maxInputTokens * targetPercent);
  };

  it("is the trigger's target if that is lower than the configured one, and then ignores minCallsPerFold", () => {
    expect([target({}), target({ targetTokens: half - 1 }), target({ targetTokens: half + 1 })]).toEqual([
      half,
      half - 1,
      half,
    ]);
    const deep = { minCallsPerFold: 20 };
    expect(foldConfig(turn(SOFT, { config: deep }), { ...HARD, targetTokens: 900 } as never).minCallsPerFold).toBe(0);
    expect(foldConfig(turn(SOFT, { config: deep }), HARD as never).minCallsPerFold).toBe(20);
  });

  it("is a share of the request's tokens for a forced fold that is within the target", () => {
    expect(target({}, true, { targetPercent: 0.5 })).toBe(half);
    expect(target({}, true, { targetPercent: 0.75 })).toBe(TOKENS * 0.75);
    expect(target({}, true)).toBe(half);
    expect(target({}, false, { targetPercent: 0.75 })).toBe(TOKENS * 1.5);
    expect(target({ targetTokens: 300 }, true, { targetPercent: 0.75 })).toBe(300);
  });
});

describe("a soft fold in an open tool loop", () => {
  const thinking = assistant("a1", [
    { type: "reasoning", text: "Let me see.", provider: "anthropic", signature: "c2ln" },
    call("c1", "read", { path: "a.ts" }),
  ]);
  const answer = tool("t1", result("c1", "text ".repeat(200), { toolName: "read" }));
  const asked = message("u1", "user", "Go.");
  const looping = threadOf().append([asked, thinking, answer]);
  const model = "claude-opus-5-5";
  const inLoop = (
    of: typeof thread,
    config = {},
    sources: Fields["sources"] = { format: formatById("anthropic"), model },
  ) =>
    turnOf(of, {
      preset: triggeredBy(SOFT),
      config: { maxInputTokens: 10_000, costModelEnabled: true, ...config },
      sources,
    });
  const wait = (...input: Parameters<typeof inLoop>): string | null => {
    const turned = inLoop(...input);
    return loopWait(turned, turned.renderer.measure(turned.plan));
  };

  it("waits for the loop's end if the model's signed thinking depends on the prompt before it", () => {
    expect(wait(looping)).toContain("open tool loop");
    expect(wait(looping, { costModelEnabled: false })).toBeNull();
    expect(wait(looping, {}, { format: formatById("openai-chat") })).toBeNull();
    expect(wait(looping.append([assistant("a2", [text("Done.")])]))).toBeNull();
    // What it thought before the newest question is of no use to the loop.
    const thought = assistant("a2", [
      { type: "reasoning", text: "So.", provider: "anthropic", signature: "c2ln" },
      text("Done."),
    ]);
    const onwards = [
      assistant("a3", [call("c3", "read", { path: "b.ts" })]),
      tool("t3", result("c3", "b", { toolName: "read" })),
    ];
    expect(wait(looping.append([thought, message("u2", "user", "On."), ...onwards]))).toBeNull();
    expect(wait(threadOf(assistant("a1", [call("c1", "read", { path: "a.ts" })]), answer))).toBeNull();
  });

  it("does not wait if so few calls still fit that the loop would force a fold", () => {
    const { ledger, thread: of } = inLoop(looping).state;
    const each = ledger.totalTokens / of.position.step;
    const used = inLoop(looping).renderer.measure(inLoop(looping).plan);
    const roomFor = (calls: number) => ({
      ...{ maxInputTokens: Math.ceil(used + calls * each), safetyBufferTokens: 0, rehydrationReserveTokens: 0 },
    });
    expect(wait(looping, roomFor(2.9))).toBeNull();
    expect(wait(looping, roomFor(3.1))).not.toBeNull();
  });

  it("is postponed without an attempt, but made at once if it is hard or forced", () => {
    const turned = inLoop(looping, { targetPercent: 0.01 });
    expect(declined(decide(turned, {}))).toMatchObject({ attempted: false, result: { type: "postponed" } });
    expect(decide({ ...turned, preset: triggeredBy(HARD) }, {}).due).toBe(true);
    expect(decide(turned, { force: true }).due).toBe(true);
  });
});

describe("a compact call with its own trigger or strategy", () => {
  const preset = triggeredBy(SOFT);
  const figures = turn(SOFT).config;
  const own = { name: "own", evaluate: () => SOFT };

  it("folds hard when its trigger fires, and as deep as its strategy proposes", () => {
    expect(policyOfCall(preset, figures, { force: true })).toEqual({ preset, config: figures });
    const triggered = policyOfCall(preset, figures, { trigger: own });
    expect(triggered.config).toBe(figures);
    expect(triggered.preset.ladder).toBe(preset.ladder);
    expect(triggered.preset.trigger(figures).evaluate({} as never)).toEqual({ ...SOFT, level: "hard" });
    const silent = policyOfCall(preset, figures, { trigger: { name: "own", evaluate: () => ({ level: "none" }) } });
    expect(silent.preset.trigger(figures).evaluate({} as never)).toEqual({ level: "none" });
    const folded = policyOfCall(preset, figures, { strategy: clearStrategy });
    expect(folded.preset).toEqual({ ...preset, ladder: [clearStrategy] });
    expect(folded.config).toEqual({ ...figures, targetPercent: 0, minReclaimPercent: 0, preserveRecentTurns: 0 });
  });

  it("counts as a requested fold", () => {
    expect([{}, { force: false }, { instructions: "x" }].map(isAsked)).toEqual([false, false, false]);
    expect([{ force: true }, { trigger: own }, { strategy: clearStrategy }].map(isAsked)).toEqual([true, true, true]);
  });
});
