import { presetByName } from "@threadfold/strategies";
import { afterEach, describe, expect, it, vi } from "vitest";
import { replayableSession } from "../memory/session-memory.ts";
import { type PolicyPrompt, type PromptPolicy, pieceOf, WorkTime } from "../policy/prompt-policy.ts";
import type { CallFigures } from "../replay/call-figures.ts";
import { replayPolicy } from "../replay/replay-policy.ts";
import { scriptedSummarizer } from "../summaries/scripted-summarizer.ts";
import { longScript, scriptedSession } from "../testing/scripted-log.ts";
import { clearAllButLast, floorPolicy, noCompaction, slidingWindow } from "./naive-policies.ts";
import { oraclePolicy } from "./oracle-policy.ts";
import { presetPolicy } from "./preset-policy.ts";

const BUDGET = 4_000;
const summarizer = scriptedSummarizer("extractive");
const context = replayableSession(scriptedSession(longScript(60), ["You are a careful engineer."]));

it.each([
  ["preset.trigger", undefined, { summarizer }],
  ["options", presetByName("codex"), undefined],
  ["summarizer", presetByName("codex"), {}],
])("a policy of a preset is refused by the name %s", (name, preset, options) => {
  expect(() => presetPolicy(preset as never, options as never)).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIG", details: { name } }),
  );
});

async function run(policy: PromptPolicy, budgetTokens = BUDGET) {
  const prompts: PolicyPrompt[] = [];
  const watched: PromptPolicy = {
    id: policy.id,
    async begin(policyContext) {
      const inner = await policy.begin(policyContext);
      return {
        ...inner,
        async prompt(added, at) {
          const prompt = await inner.prompt(added, at);
          prompts.push(prompt);
          return prompt;
        },
        end: () => inner.end(),
      };
    },
  };
  const replay = await replayPolicy(context, watched, { budgetTokens, summarizer });
  return { prompts, replay };
}

const count = (calls: readonly CallFigures[], is: (call: CallFigures) => boolean): number => calls.filter(is).length;
const coldShare = (calls: readonly CallFigures[]): number =>
  calls.reduce((sum, { cold }) => sum + cold.direct, 0) / calls.reduce((sum, { cold }) => sum + cold.needs, 0);

afterEach(() => vi.useRealTimers());

describe("baseline policies", () => {
  it("no-compaction sends the whole log and keeps every needed fact in the prompt", async () => {
    const { prompts, replay } = await run(noCompaction);
    const last = context.session.calls.at(-1);
    const whole = context.session.messages.filter(({ ordinal }) => ordinal < (last?.answer[0]?.ordinal ?? 0));
    expect(prompts.at(-1)?.messages.slice(1)).toEqual(whole.map(pieceOf));
    expect(coldShare(replay.calls)).toBe(1);
    expect(count(replay.calls, ({ breaks }) => breaks)).toBe(0);
    expect(count(replay.calls, ({ overBudget }) => overBudget)).toBeGreaterThan(30);
  });

  it("sliding-window always fits, breaks the prefix on most calls, and splits no tool pair", async () => {
    const { replay } = await run(slidingWindow);
    expect(count(replay.calls, ({ overBudget }) => overBudget)).toBe(0);
    expect(count(replay.calls, ({ breaks }) => breaks)).toBeGreaterThan(30);
    expect(replay.calls.reduce((sum, { violations }) => sum + violations, 0)).toBe(0);
  });

  it("clear-all-but-last keeps the newest results, and cleared ones stay cleared", async () => {
    const { prompts } = await run(clearAllButLast(3));
    const emptied = prompts.map(
      ({ messages }) =>
        new Set(messages.flatMap(({ text, resultIds }) => (text.startsWith("[Old") ? (resultIds ?? []) : []))),
    );
    const last = emptied.at(-1) ?? new Set();
    expect(last.size).toBeGreaterThan(10);
    for (const [index, before] of emptied.entries())
      for (const id of before) expect(emptied[index + 1]?.has(id) ?? true).toBe(true);
    for (const prompt of prompts) {
      const results = prompt.messages.filter(({ role }) => role === "tool");
      expect(results.slice(-3).some(({ text }) => text.startsWith("[Old"))).toBe(false);
    }
  });

  it("floor cuts to about half, breaks the prefix only then, and keeps a note of the task", async () => {
    const { prompts, replay } = await run(floorPolicy);
    const cuts = replay.calls.filter(({ committed }) => committed);
    expect(cuts.length).toBeGreaterThan(1);
    for (const { tokens } of cuts) expect(tokens).toBeLessThanOrEqual(BUDGET * 0.56);
    expect(count(replay.calls, ({ breaks }) => breaks)).toBe(cuts.length);
    expect(prompts.at(-1)?.messages[1]?.text).toContain("Bring every part to the new interface.");
  });

  it("oracle fits, breaks no rule, and keeps more needed facts than sliding-window", async () => {
    const { replay } = await run(oraclePolicy(context));
    const { replay: window } = await run(slidingWindow);
    expect(count(replay.calls, ({ overBudget, violations }) => overBudget || violations > 0)).toBe(0);
    expect(coldShare(replay.calls)).toBeGreaterThan(coldShare(window.calls));
  });
});

describe("the measured time of a policy", () => {
  it("excludes the time of stand-in models, also of concurrent ones", async () => {
    let now = 0;
    const time = new WorkTime(() => now);
    const passing = (milliseconds: number) => (now += milliseconds);
    const answered = (milliseconds: number) => time.waitFor(async () => passing(milliseconds));
    await answered(1_000);
    const { result, milliseconds } = await time.of(async () => {
      passing(3);
      await Promise.all([answered(100), answered(50)]);
      await expect(time.waitFor(() => Promise.reject(new Error("no answer")))).rejects.toThrow("no answer");
      passing(4);
      return "prompt";
    });
    expect({ result, milliseconds }).toEqual({ result: "prompt", milliseconds: 7 });
  });

  it("excludes the summaries that a baseline or a preset requests", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { text, summarizer: lossy } = scriptedSummarizer("lossy");
    const asked: string[] = [];
    const late = <Given extends unknown[], Answer>(name: string, answer: (...given: Given) => Promise<Answer>) => {
      return async (...given: Given): Promise<Answer> => {
        asked.push(name);
        vi.advanceTimersByTime(1_000);
        return answer(...given);
      };
    };
    const summarizer = { ...scriptedSummarizer("lossy"), text: late("rule", text) };
    const slow = { ...summarizer, summarizer: { ...lossy, summarize: late("preset", lossy.summarize.bind(lossy)) } };
    for (const policy of [floorPolicy, presetPolicy(presetByName("claude-code"), { summarizer: slow })]) {
      const { calls } = await replayPolicy(context, policy, { budgetTokens: BUDGET, summarizer });
      expect(calls.map(({ milliseconds }) => milliseconds)).toEqual(calls.map(() => 0));
    }
    expect(new Set(asked)).toEqual(new Set(["rule", "preset"]));
  });
});

describe("presetPolicy", () => {
  it("folds through the session, fits the budget and keeps the constraint in every call", async () => {
    const { replay } = await run(presetPolicy(presetByName("threadfold"), { summarizer }));
    expect(count(replay.calls, ({ committed }) => committed)).toBeGreaterThan(0);
    for (const call of replay.calls) {
      expect(call).toMatchObject({ overBudget: false, violations: 0, empty: false, newestLost: false, thrown: false });
      expect(call.constraintsKept).toBe(call.constraints);
    }
    expect(replay.calls.at(-1)?.constraints).toBe(1);
    expect(replay.calls.every(({ summaryRead }) => summaryRead === 0)).toBe(true);
  });

  it("bills the calls of a stand-in summarizer model", async () => {
    const lossy = scriptedSummarizer("lossy");
    const { calls } = await replayPolicy(context, presetPolicy(presetByName("claude-code"), { summarizer: lossy }), {
      budgetTokens: BUDGET,
      summarizer: lossy,
    });
    const paid = calls.filter(({ summaryRead }) => summaryRead > 0);
    expect(paid.length).toBeGreaterThan(0);
    expect(paid.every(({ committed, bills, tokens }) => committed && bills.c > tokens)).toBe(true);
  });
});
