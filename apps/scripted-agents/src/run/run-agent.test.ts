import { describe, expect, it } from "vitest";
import { HOSTS } from "../hosts/hosts.ts";
import type { Fault, FaultPlan } from "../provider/provider-double.ts";
import { failingSummarizer } from "../script/scripted-agent.ts";
import { type AgentReport, brokenPromises, reportLine, reportTable, runAgent } from "./run-agent.ts";

const modelCalls = 60;

/** Every fault once, early. An overflow waits until the prompt is long. */
const FAULTS: ReadonlyMap<number, Fault> = new Map([
  [5, "rate-limit"],
  [11, "server-error"],
  [17, "overflow"],
  [26, "max-output"],
]);
const faults: FaultPlan = (index) => FAULTS.get(index);

/** A window in which so few calls fold a few times. */
const setting = { modelCalls, faults, maxInputTokens: 20_000 };

const hosts = (...ids: readonly string[]) =>
  ids.map((id) => {
    const host = HOSTS.find((one) => one.id === id);
    if (host === undefined) throw new Error(`There is no host ${id}.`);
    return host;
  });

function expectPromisesKept(report: AgentReport): void {
  expect(brokenPromises(report, modelCalls), reportTable([report])).toEqual([]);
  expect(report.figures.faults).toBe(FAULTS.size);
  expect(report.folds).toBeGreaterThan(1);
  expect(report.figures.cacheHitRate).toBeGreaterThan(0.5);
}

describe("the scripted agent", () => {
  it.each(HOSTS)("runs to its end in $id, through every fault, and what it recorded is replayed", async (host) => {
    expectPromisesKept(await runAgent(host, setting));
  });

  it.each(hosts("plain-anthropic", "pi"))(
    "keeps its thoughts in $id also where they are bound to the prefix",
    async (host) => {
      const report = await runAgent(host, { ...setting, model: "claude-opus-5-5" });
      expectPromisesKept(report);
      expect(reportLine(report)).toMatchObject({ model: "claude-opus-5-5", refusals: 0, reasoningKept: 1 });
      expect(report.figures.reasoning.allowed).toBeGreaterThan(modelCalls);
    },
  );

  it.each(hosts("ai-sdk-7", "openai-responses", "pi"))(
    "runs to its end in $id while the summarizer always fails",
    async (host) => {
      const summarizer = failingSummarizer();
      expectPromisesKept(await runAgent(host, { ...setting, summarizer }));
      expect(summarizer.asked).toBeGreaterThan(0);
    },
  );
});

describe("a report of a run", () => {
  it("says what did not hold", () => {
    const figures = {
      answered: 3,
      illegal: ["W1: bad"],
      overBudget: 1,
      withoutRule: 2,
      reasoning: { allowed: 10, kept: 9 },
      faults: 0,
      peakTokens: 9,
      cacheHitRate: 0,
    };
    const run = {
      host: "h",
      model: "m",
      figures,
      prepared: 4,
      aboveBudget: 1,
      folds: 0,
      replayed: 3,
      recorded: 4,
      recordsRequests: true,
      turnTimes: [1],
      seconds: 1,
    };
    expect(brokenPromises(run, 5)).toEqual([
      "only 3 of 5 calls were answered",
      "an illegal request: W1: bad",
      "reasoning kept in 9 of 10 steps",
      "2 requests without the user's rule",
      "2 requests above the budget",
      "3 of 4 requests replayed",
    ]);
    expect(reportTable([run]).split("\n")).toHaveLength(2);
    expect(reportLine(run)).toEqual({ host: "h", model: "m", calls: 3, refusals: 1, reasoningKept: 0.9 });
    const thoughtless = { ...run, figures: { ...figures, reasoning: { allowed: 0, kept: 0 } } };
    expect(reportLine(thoughtless).reasoningKept).toBeNull();
    const unrecorded = { ...run, replayed: 0, recorded: 0, turnTimes: [] };
    expect(brokenPromises(unrecorded, 3)).toContain("0 of 0 requests replayed");
    const own = { ...unrecorded, recordsRequests: false };
    expect(brokenPromises(own, 3)).not.toContain("0 of 0 requests replayed");
    expect(reportTable([own]).split("\n")[1]).toMatch(/( +-){5}$/);
  });
});
