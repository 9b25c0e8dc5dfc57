import { asPinId, type CompactionPlan, planRecords, sealPlan } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { clearStrategy, externalizeStrategy, summarizeStrategy, type TriggerDecision } from "@threadfold/strategies";
import { scriptThread } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { previewPlan } from "./preview-plan.ts";
import { foldHistory } from "./state/breaker.ts";
import type { CompactOptions } from "./state/compact-options.ts";
import { attemptKey, isSettled, type Turn } from "./state/turn-state.ts";
import { NO_USAGE } from "./state/usage.ts";
import { answers, artifactsThat, calls, threadOf } from "./testing/fold-case.ts";
import { PLAIN_PRICE, plansThat, triggeredBy, turnOf } from "./testing/turn-case.ts";
import { foldTurn, planFloor, planTurn, type TurnCommit, type TurnResult } from "./turn.ts";

const SOFT: TriggerDecision = { level: "soft", reason: "it is time" };
const HARD: TriggerDecision = { level: "hard", reason: "at once" };
const thread = scriptThread("u1 a1 t1 u2 a2 t2 u3 a3 t3 u4 a4 u5", 250);
const config = { maxInputTokens: 3_300, targetPercent: 0.4, preserveRecentTurns: 1 };
const quiet = { preset: triggeredBy({ level: "none" }), config: { maxInputTokens: 4_000 } } as const;
const due = (fields: Parameters<typeof turnOf>[1] = {}): Turn =>
  turnOf(thread, { preset: triggeredBy(HARD), ...fields, config: { ...config, ...fields.config } });

/** Folds and commits; nobody else writes unless the test says so. */
function run(turn: Turn, commit: Partial<TurnCommit> = {}, options: CompactOptions = {}): Promise<TurnResult> {
  const { plans } = plansThat();
  return foldTurn(turn, { plans, rebase: null, threadNow: async () => thread, plan: planTurn, ...commit }, options);
}

const noise = "output ".repeat(700);
const long = threadOf(
  calls("a0", "c0", "bash"),
  answers("t0", "c0", "bash", `${noise}\nthe session is nil here\n${noise}`),
  ...[1, 2, 3].flatMap((at) => [calls(`a${at}`, `c${at}`, "bash"), answers(`t${at}`, `c${at}`, "bash", noise)]),
);

describe("a turn that folds", () => {
  it("commits its plan on top of the plan that it started from", async () => {
    const { plans, committed, expected } = plansThat();
    const turn = due({ history: { ...foldHistory(0), failures: 2, postponedSince: 1, notBefore: 9 } });
    const { outcome, plan, basis, history, attempted, changes, turn: made } = await run(turn, { plans });
    expect([committed, expected]).toEqual([[plan], [0]]);
    expect(plan.version).toBe(1);
    expect(basis).toBe(turn.plan);
    expect(made).toBe(turn);
    // What was tried under the plan before says nothing of the next one.
    expect(history).toEqual(foldHistory(1));
    expect({ attempted, changes }).toEqual({ attempted: true, changes: [] });
    const before = turn.renderer.measure(turn.plan);
    expect(outcome).toEqual({
      ...{ type: "committed", plan, tokens: { before, after: plan.compactedTokens }, floor: false },
    });
  });

  it("commits nothing and leaves the history unchanged if no fold is due", async () => {
    const { plans, expected } = plansThat();
    const turn = due(quiet);
    const { outcome, plan, history, attempted } = await run(turn, { plans });
    expect(outcome.type).toBe("no-op");
    expect(expected).toEqual([]);
    expect([plan, history, attempted]).toEqual([turn.plan, turn.history, false]);
  });

  it("counts an unsuccessful fold as a failure, and resets the failures after a forced one", async () => {
    const before = { history: { ...foldHistory(0), failures: 1 } };
    const failed = await run(due({ ...before, preset: triggeredBy(SOFT), config: { minReclaimPercent: 0.9 } }));
    expect([failed.outcome.type, failed.history.failures, failed.attempted]).toEqual(["ineffective", 2, true]);
    const stuck = { ...before, preset: { ...triggeredBy(SOFT), ladder: [] }, config: { maxInputTokens: 4_000 } };
    const asked = await run(due(stuck), {}, { force: true });
    expect([asked.outcome.type, asked.history.failures]).toEqual(["no-op", 0]);
  });

  it("postpones a fold by as many calls as it needs to pay", async () => {
    const dear = { preset: triggeredBy(SOFT), price: PLAIN_PRICE, idleSeconds: 1 };
    const price = { costModelEnabled: true, expectedCallsPrior: 0 };
    const turn = due({ ...dear, config: { ...price, maxInputTokens: 40_000, targetPercent: 0.035 } });
    const { outcome, history, weighing } = await run(turn);
    expect(outcome.type).toBe("postponed");
    const wait = Math.ceil((weighing?.breakEvenCalls ?? 0) - (weighing?.expectedCalls ?? 0));
    expect(wait).toBeGreaterThan(1);
    expect(wait).toBeLessThan(20);
    expect(history).toEqual({ planVersion: 0, failures: 0, postponedSince: 4, notBefore: 4 + wait });
  });

  it("weighs the plan that it made, with the cost of rewriting everything after the first change", async () => {
    const { weighing, plan, outcome } = await run(due({ price: PLAIN_PRICE, idleSeconds: 1 }));
    expect(weighing).toMatchObject({ after: plan.compactedTokens, temperature: "warm", expectedCalls: 24 });
    expect("tokens" in outcome && outcome.tokens).toEqual({ before: weighing?.before, after: weighing?.after });
    expect(weighing?.suffix).toBeGreaterThan(0);
    expect((await run(due())).weighing).toBeNull();
  });

  it("reports a failed summarizer, whether instructions were used, and bodies that were not stored", async () => {
    const failing = { id: "llm@1", summarize: async () => Promise.reject(new Error("no answer")) };
    const told = async (fields: Parameters<typeof turnOf>[1], options: CompactOptions = {}) =>
      (await run(due(fields), {}, options)).outcome;
    expect(await told({ summarizer: failing })).toMatchObject({
      ...{ type: "summarizer-failed-floor-used", problem: expect.stringContaining("no answer") },
    });
    expect(await told({ summarizer: failing })).not.toHaveProperty("instructions");
    expect(await told({ summarizer: failing }, { instructions: "the port" })).toMatchObject({
      instructions: "no-effect",
    });
    expect(await told({}, { instructions: "the port" })).toMatchObject({ type: "committed", instructions: "used" });
    const preset = { ...triggeredBy(HARD), ladder: [externalizeStrategy, summarizeStrategy] };
    const refusing = turnOf(long, { preset, artifacts: artifactsThat(() => true), config });
    expect((await run(refusing, { threadNow: async () => long })).outcome).toMatchObject({
      type: "committed",
      notStored: expect.arrayContaining(["t0"]),
    });
    expect(await told({})).not.toHaveProperty("notStored");
  });

  it("commits nothing once its signal has fired", async () => {
    const { plans, expected } = plansThat();
    const controller = new AbortController();
    const late: TurnCommit["plan"] = async (turn, options) => {
      const planned = await planTurn(turn, options);
      controller.abort();
      return planned;
    };
    const { outcome, history } = await run(due(), { plans, plan: late }, { signal: controller.signal });
    const tokens = due().renderer.measure(due().plan);
    expect(outcome).toEqual({ type: "aborted", tokens: { before: tokens, after: tokens } });
    expect([expected, history]).toEqual([[], foldHistory(0)]);
  });
});

describe("a turn with another writer", () => {
  it.each([
    [1, "committed", 2],
    [3, "committed", 4],
    [4, "conflict", 4],
  ])("that was first %i times ends as %s after a bounded number of tries", async (first, type, tries) => {
    const { plans, committed, expected } = plansThat((attempt) => attempt > first);
    const begun = due();
    const rebased: Turn[] = [];
    const rebase = async (turn: Turn) => {
      rebased.push(turn);
      const plan = sealPlan({ ...turn.plan, version: turn.plan.version + 1 });
      return { ...turn, plan, history: foldHistory(plan.version) };
    };
    const { outcome, basis, plan, turn } = await run(begun, { plans, rebase });
    expect([outcome.type, expected]).toEqual([type, Array.from({ length: tries }, (_, version) => version)]);
    // Each try goes on from the newest plan of the other writer.
    expect(rebased[0]).toBe(begun);
    expect(rebased.map(({ plan: { version } }) => version)).toEqual(Array.from({ length: tries - 1 }, (_, at) => at));
    expect([basis.version, turn.plan]).toEqual([tries - 1, basis]);
    expect(plan).toBe(type === "committed" ? committed[0] : basis);
    if (outcome.type === "conflict") expect(outcome.currentVersion).toBe(tries);
  });

  it("ends as a conflict after one try if it cannot rebase on the other's plan", async () => {
    const { plans, expected } = plansThat(() => false);
    const { outcome, history, plan } = await run(due(), { plans });
    const tokens = due().renderer.measure(plan);
    expect(outcome).toEqual({ type: "conflict", currentVersion: 1, tokens: { before: tokens, after: tokens } });
    expect([expected, history, plan.version]).toEqual([[0], foldHistory(0), 0]);
  });
});

describe("calls made while a turn folds", () => {
  const waiting = long.append([message("u-a", "user", "Wait.")]);
  const asks = waiting.append([
    calls("use", "c-use", "grep", { pattern: "'session is nil'" }),
    message("u-late", "user", "And?"),
  ]);
  const threads = (...lengths: readonly (typeof long)[]) => {
    let asked = 0;
    return { threadNow: async () => lengths[asked++] ?? (lengths.at(-1) as typeof long), asked: () => asked };
  };
  const folding = (ladder = [summarizeStrategy]) =>
    turnOf(long, {
      preset: { ...triggeredBy(HARD), ladder },
      config: { maxInputTokens: 7_000, targetPercent: 0.05, preserveRecentTurns: 0 },
    });

  it("are checked until there are no new ones, and the lines that they used are kept in a summary", async () => {
    const { threadNow, asked } = threads(long, asks);
    expect(planRecords((await run(folding(), { threadNow })).plan)).not.toEqual([]);
    expect(asked()).toBe(1);
    const growing = threads(waiting, asks);
    const { outcome, plan } = await run(folding(), { threadNow: growing.threadNow });
    expect(growing.asked()).toBe(3);
    expect(outcome).toMatchObject({ type: "committed", tokens: { after: plan.compactedTokens } });
    expect(JSON.stringify(plan.summarizations)).toContain("the session is nil here");
  });

  it("postpone a fold that has no summary to keep the lines that they used", async () => {
    const { plans, expected } = plansThat();
    const { outcome, history } = await run(folding([clearStrategy]), { ...threads(asks), plans });
    expect(outcome).toMatchObject({ type: "postponed", reason: expect.stringContaining("meanwhile") });
    expect([expected, history]).toEqual([[], foldHistory(0)]);
  });
});

describe("the floor", () => {
  it("folds regardless of trigger, breaker and ladder, and gives a reason", async () => {
    const history = { ...foldHistory(0), failures: 9, notBefore: 99 };
    const turn = due({ preset: { ...triggeredBy({ level: "none" }), ladder: [] }, history, onSummaryFailure: "keep" });
    const planned = await planFloor(turn, {});
    expect(planned).toMatchObject({
      ...{ attempted: true, weighing: null, waitCalls: 0, decision: { level: "hard", reason: expect.any(String) } },
      result: { type: "ready", floor: true },
    });
    const { outcome } = await run(turn, { plan: planFloor });
    expect(outcome).toMatchObject({ type: "committed", floor: true });
  });

  it("is a no-op within the target, and counts as an attempt", async () => {
    const within = due({ config: { maxInputTokens: 40_000 } });
    const tokens = within.renderer.measure(within.plan);
    expect(await planFloor(within, {})).toMatchObject({
      ...{ attempted: true, weighing: null, waitCalls: 0, decision: { level: "hard" } },
      result: { type: "no-op", tokens: { before: tokens, after: tokens } },
    });
  });

  it("folds even if the summarizer fails and onSummaryFailure is keep", async () => {
    const failing = { id: "llm@1", summarize: async () => Promise.reject(new Error("no answer")) };
    const turn = due({ summarizer: failing, onSummaryFailure: "keep" });
    expect(await planFloor(turn, {})).toMatchObject({ result: { type: "ready" } });
    await expect(planTurn(turn, {})).rejects.toThrow(expect.objectContaining({ code: "SUMMARIZER_FAILED" }));
  });
});

describe("a preview", () => {
  it("shows the plan that a fold would commit, and stores nothing", async () => {
    const artifacts = artifactsThat();
    const events: unknown[] = [];
    const turn = turnOf(long, {
      ...{ artifacts, emit: (event) => void events.push(event), price: PLAIN_PRICE },
      config: { ...config, maxInputTokens: 7_000 },
      preset: { ...triggeredBy(HARD), ladder: [externalizeStrategy, summarizeStrategy] },
    });
    const { decision, outcome, plan, weighing, hidden } = await previewPlan(turn, { instructions: "the port" });
    expect([artifacts.asked, events]).toEqual([[], []]);
    const made = await run(turn, { threadNow: async () => long }, { instructions: "the port" });
    expect(plan).toEqual(made.plan);
    expect(plan.externalizations.length).toBeGreaterThan(0);
    expect([...artifacts.contents.keys()]).toEqual(
      expect.arrayContaining(plan.externalizations.map(({ artifactId }) => artifactId)),
    );
    expect(events).not.toEqual([]);
    expect(weighing).toEqual(made.weighing);
    expect(decision).toEqual(HARD);
    expect(outcome).toEqual({
      ...{ type: "would-commit", floor: false, summarizerProblem: null, instructions: "no-effect" },
      tokens: "tokens" in made.outcome && made.outcome.tokens,
    });
    expect(Object.keys(hidden)).toHaveLength(5);
  });

  it("shows the outcome and the current plan if nothing would be committed", async () => {
    const turn = due(quiet);
    expect(await previewPlan(turn, {})).toMatchObject({ outcome: { type: "no-op" }, plan: turn.plan, weighing: null });
  });

  it("reports a summarizer failure as failed with onSummaryFailure keep, and otherwise as would-commit", async () => {
    const broken = { id: "llm@1", summarize: async () => Promise.reject(new Error("no answer")) };
    const kept = due({ summarizer: broken, onSummaryFailure: "keep" });
    const tokens = kept.renderer.measure(kept.plan);
    expect(await previewPlan(kept, {})).toMatchObject({
      ...{ plan: kept.plan, weighing: null, decision: { level: "none" } },
      outcome: {
        type: "failed",
        problem: expect.stringContaining("SUMMARIZER_FAILED"),
        tokens: { before: tokens, after: tokens },
      },
    });
    expect((await previewPlan(due({ summarizer: broken }), {})).outcome).toMatchObject({
      ...{ type: "would-commit", summarizerProblem: expect.stringContaining("no answer") },
    });
    expect((await previewPlan(due(), {})).outcome).not.toHaveProperty("instructions");
  });
});

describe("a provider's compaction item", () => {
  it("is named in the plan, together with a fold of our own if the thread is above the target", async () => {
    const providerItem = thread.messageAt(2)?.id as NonNullable<Turn["providerItem"]>;
    const planned = async (fields: Parameters<typeof turnOf>[1] = {}, plan?: CompactionPlan) => {
      const turn = due({ ...fields, providerItem, preset: triggeredBy({ level: "none" }), ...(plan && { plan }) });
      const { result } = await planTurn(turn, {});
      return { result, turn };
    };
    const above = await planned();
    expect(above.result).toMatchObject({
      type: "ready",
      plan: { providerItem, version: 1, threadVersion: thread.version },
    });
    const folded = above.result.type === "ready" ? above.result.plan : above.turn.plan;
    expect(planRecords(folded)).not.toEqual([]);
    const below = await planned({ config: { maxInputTokens: 40_000 } });
    expect(below.result).toMatchObject({ type: "ready", attempt: "provider", floor: false, plan: { providerItem } });
    const named = below.result.type === "ready" ? below.result.plan : below.turn.plan;
    expect([planRecords(named), named.version, named.threadVersion]).toEqual([[], 1, thread.version]);
    expect(named.compactedTokens).toBe(below.turn.renderer.measure(named));
    // A plan that hides a pin is not taken, whatever it would spare: then our own fold is, or none.
    const hiding = (of: Turn) =>
      ({
        tools: of.renderer.tools,
        rendering: (at: CompactionPlan) => of.renderer.rendering(at),
        measure: (at: CompactionPlan) => of.renderer.measure(at),
        verify: (at: CompactionPlan) => ({
          ...of.renderer.verify(at),
          ...(at.providerItem === providerItem && { missingPins: [asPinId("p1")] }),
        }),
      }) as unknown as Turn["renderer"];
    const own = await planTurn({ ...above.turn, renderer: hiding(above.turn) }, {});
    expect(own.result).toMatchObject({ type: "ready" });
    expect(own.result.type === "ready" && own.result.plan).not.toHaveProperty("providerItem");
    const before = below.turn.renderer.measure(below.turn.plan);
    expect((await planTurn({ ...below.turn, renderer: hiding(below.turn) }, {})).result).toEqual({
      ...{ type: "refused", violations: [], missingPins: ["p1"], tokens: { before, after: before } },
    });
    // A newer item takes the place of the one that the plan names.
    const again = await planned(
      { config: { maxInputTokens: 40_000 } },
      { ...named, providerItem: thread.messageAt(0)?.id as never },
    );
    expect(again.result).toMatchObject({ plan: { providerItem, version: 2 } });
  });
});

describe("attemptKey and isSettled", () => {
  it("change the key with everything that a fold depends on, and retry only postponed, conflicting and aborted folds", () => {
    const key = attemptKey(due());
    expect(attemptKey(due())).toBe(key);
    const measured = { planVersion: 0, inputTokens: 9_000, counted: 1, unshown: 0, resent: 0 };
    const others: readonly Turn[] = [
      turnOf(thread.append([message("u9", "user", "")]), { config }),
      due({ plan: { ...due().plan, version: 1 } }),
      due({ config: { maxInputTokens: 3_301 } }),
      due({ usage: { ...NO_USAGE, overflow: "pending" } }),
      due({ usage: { ...NO_USAGE, maxOutput: "pending" } }),
      due({ usage: { ...NO_USAGE, measured } }),
      due({ sources: { frame: { system: ["More."], tools: [] } } }),
    ];
    expect(new Set([key, ...others.map(attemptKey)]).size).toBe(others.length + 1);
    const again = (["postponed", "conflict", "aborted"] as const).map((type) => isSettled({ type } as never));
    const settled = (["no-op", "inflated", "committed", "failed"] as const).map((type) => isSettled({ type } as never));
    expect([again, settled]).toEqual([again.map(() => false), settled.map(() => true)]);
  });
});
