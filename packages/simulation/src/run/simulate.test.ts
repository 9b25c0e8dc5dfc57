import { ThreadfoldError } from "@threadfold/core";
import { presetByName } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { rulePolicy, slidingWindow } from "../policies/naive-policies.ts";
import { BASELINES, baselineById, offerOf, presetOffers } from "../policies/policy-offer.ts";
import { type PromptPolicy, pieceOf } from "../policy/prompt-policy.ts";
import { scriptedSummarizer } from "../summaries/scripted-summarizer.ts";
import { longScript, type ScriptedMessage, scriptedSession } from "../testing/scripted-log.ts";
import { type SimulationOptions, simulate } from "./simulate.ts";

const summarizer = scriptedSummarizer("extractive");
const session = scriptedSession(longScript(60));
const options: SimulationOptions = { sessions: [session], policies: BASELINES, budgets: [4_000, 8_000], summarizer };

const failing: PromptPolicy = {
  id: "failing",
  begin: async () => ({
    prompt: async () => {
      throw new TypeError("no prompt");
    },
    end: async () => undefined,
  }),
};

const unable: PromptPolicy = { id: "unable", begin: () => Promise.reject(new TypeError("no prompt")) };

describe("simulate", () => {
  it.each([
    ["options", undefined],
    ["policies", { ...options, policies: undefined }],
    ["budgets", { ...options, budgets: 4_000 }],
    ["summarizer", { ...options, summarizer: "extractive" }],
    ["budget", { ...options, budget: 4_000 }],
  ])("refuses %s", async (name, given) => {
    await expect(simulate(given as never)).rejects.toMatchObject({ code: "INVALID_CONFIG", details: { name } });
  });

  it("reports every policy at every budget, largest budget first", async () => {
    const { policies, sessions } = await simulate(options);
    expect(policies.map(({ policy, budget }) => `${budget} ${policy}`)).toEqual(
      [8_000, 4_000].flatMap((budget) => BASELINES.map(({ id }) => `${budget} ${id}`)),
    );
    expect(sessions).toMatchObject([{ name: "scripted", calls: 60, budgets: [8_000, 4_000] }]);
  });

  it("bills no-compaction at exactly 1 under every price row", async () => {
    const { policies } = await simulate({ ...options, policies: [baselineById("no-compaction")] });
    for (const { bill, providerBills, fitRate } of policies) {
      expect(bill).toEqual({ a: 1, b: 1, c: 1 });
      expect(Object.values(providerBills).every(({ relative }) => relative === 1)).toBe(true);
      expect(fitRate).toBeLessThan(1);
    }
  });

  it("counts a session only if its whole history exceeds the budget", async () => {
    const { policies } = await simulate({ ...options, budgets: [1_000_000], policies: [offerOf(slidingWindow)] });
    expect(policies).toMatchObject([{ sessions: 0, requests: 0, bill: { a: null }, coldRecall: { direct: null } }]);
  });

  it("pools sessions: two equal ones give the same shares and twice the sums of one", async () => {
    const one = (await simulate({ ...options, policies: [offerOf(slidingWindow)], budgets: [4_000] })).policies[0];
    const two = (
      await simulate({
        ...options,
        sessions: [session, { ...session, name: "again" }],
        policies: [offerOf(slidingWindow)],
        budgets: [4_000],
      })
    ).policies[0];
    expect(two).toMatchObject({
      sessions: 2,
      breaksPer100Calls: one?.breaksPer100Calls,
    });
    expect(Math.abs((two?.tokensSent ?? 0) - 2 * (one?.tokensSent ?? 0))).toBeLessThanOrEqual(1);
    expect(two?.bill.a).toBeCloseTo(one?.bill.a ?? 0, 9);
    expect(two?.coldRecall.direct).toBeCloseTo(one?.coldRecall.direct ?? 0, 9);
  });

  it.each([failing, unable])("counts the errors that a policy throws, and goes on", async (policy) => {
    const { policies } = await simulate({ ...options, policies: [offerOf(policy)], budgets: [4_000] });
    expect(policies).toMatchObject([
      { throws: 60, requests: 0, problems: ["TypeError: no prompt"], coldRecall: { direct: 0 }, bill: { a: null } },
    ]);
  });

  it("gives the same figures in two runs, apart from times", async () => {
    const policies = presetOffers(summarizer, [presetByName("threadfold")]);
    const runs = await Promise.all([simulate({ ...options, policies }), simulate({ ...options, policies })]);
    const [first, second] = runs.map(({ policies: figures }) => figures.map(({ plannerMs: _time, ...rest }) => rest));
    expect(first).toEqual(second);
  });

  it("bills recall answers and reports their number and length", async () => {
    const policies = [...presetOffers(summarizer, [presetByName("threadfold")]), offerOf(slidingWindow)];
    const { policies: figures } = await simulate({ ...options, policies, budgets: [4_000] });
    const [ours, naive] = figures;
    expect(naive?.answers).toEqual({ asked: 0, averageTokens: null, mostTokens: null, bill: naive?.bill });
    expect(naive?.coldRecall.reachable).toBe(naive?.coldRecall.direct);
    const { asked = 0, averageTokens = 0, mostTokens = 0, bill } = ours?.answers ?? {};
    expect(asked).toBeGreaterThan(0);
    expect(bill?.a).toBeGreaterThan(ours?.bill.a ?? 1);
    expect(mostTokens).toBeGreaterThanOrEqual(averageTokens ?? 0);
    expect(mostTokens).toBeLessThanOrEqual(0.15 * 4_000);
    expect(ours?.coldRecall.byCallWords).toBeGreaterThan(ours?.coldRecall.direct ?? 1);
  });

  it("asks for what was seen within ten calls as well, which a policy without recent turns lacks", async () => {
    const newest: PromptPolicy = rulePolicy("newest-only", () => (log) => ({
      messages: log.slice(-1).map(pieceOf),
      committed: false,
    }));
    const policies = [baselineById("no-compaction"), offerOf(newest)];
    const recently: ScriptedMessage[] = longScript(60).map((line) =>
      "calls" in line ? { ...line, input: { find: `handler_${Number(line.id.slice(5)) - 3}_` } } : line,
    );
    const { policies: figures } = await simulate({
      ...options,
      sessions: [scriptedSession(recently)],
      policies,
      budgets: [4_000],
    });
    expect(figures.map(({ memory }) => memory.recent)).toEqual([1, 0]);
  });

  it("throws ABORTED when its signal fires", async () => {
    const controller = new AbortController();
    const running = simulate({ ...options, signal: controller.signal, onProgress: () => controller.abort() });
    await expect(running).rejects.toSatisfy((error) => ThreadfoldError.isInstance(error) && error.code === "ABORTED");
  });

  it("reports progress that never decreases", async () => {
    const shares: number[] = [];
    await simulate({ ...options, onProgress: ({ share }) => shares.push(share) });
    expect(shares).toHaveLength(2 * BASELINES.length);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.every((share) => share >= 0 && share < 1)).toBe(true);
  });

  it("keeps every call for plots when asked", async () => {
    const { series } = await simulate({
      ...options,
      policies: [offerOf(slidingWindow)],
      budgets: [4_000],
      series: true,
    });
    expect(series).toHaveLength(1);
    expect(series[0]?.tokens).toHaveLength(60);
    expect(series[0]?.bill).toEqual([...(series[0]?.bill ?? [])].sort((a, b) => a - b));
  });
});
