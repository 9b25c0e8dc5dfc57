import { compactionConfig, overheadTokens, type Summarizer, tokenBudget, utilization } from "@threadfold/core";
import { countingTokenizer } from "@threadfold/core/laws";
import { GOAT_MAX_OUTPUT_TOKENS, goatPreset } from "@threadfold/strategies";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded } from "../testing/run-fold.ts";
import { triggerLevel } from "../testing/turn-case.ts";

const WINDOW = 200_000;
/** Seed 000's 14 messages, of a size at which they are above 80 %. */
const split = scriptThread("u1 a1 t1 u2 a2 t2 u3 a3 t3 u4 a4 t4 u5 a5", 10_600);
const inWindow = { preset: goatPreset, config: { maxInputTokens: WINDOW } };

describe("seed 000, Goat", () => {
  it("goat-6 counts len/4 and 4 tokens for each message", () => {
    expect(countingTokenizer().countMessage({ role: "user", parts: [{ type: "text", text: "x".repeat(400) }] })).toBe(
      104,
    );
  });

  it("goat-7 computes available and utilization from 200 000, the system prompt and 16 384", () => {
    const config = compactionConfig({
      ...goatPreset.config,
      maxInputTokens: WINDOW,
      outputReserveTokens: GOAT_MAX_OUTPUT_TOKENS,
    });
    const budget = tokenBudget(config, { systemPromptTokens: 3_616, toolSchemaTokens: 0 });
    expect(budget.limitTokens - overheadTokens(budget) - 144_000).toBe(36_000);
    expect(utilization(budget, 144_000)).toBe(0.8);
  });

  it("goat-2 fires above, not at, 80 % of the window less the output reserve, in both windows", () => {
    expect(triggerLevel(goatPreset, WINDOW, { tokens: 146_892 })).toBe("none");
    expect(triggerLevel(goatPreset, WINDOW, { tokens: 146_893 })).toBe("soft");
    expect(triggerLevel(goatPreset, 1_000_000, { tokens: 786_892 })).toBe("none");
    expect(triggerLevel(goatPreset, 1_000_000, { tokens: 786_893 })).toBe("soft");
  });

  it("goat-14 goat-15 compacts after a cut-off answer, but only under pressure", () => {
    expect(triggerLevel(goatPreset, WINDOW, { tokens: 170_000, stoppedAtMaxOutput: true })).toBe("hard");
    expect(triggerLevel(goatPreset, WINDOW, { tokens: 20_000, stoppedAtMaxOutput: true })).toBe("none");
  });

  it("goat-16 goat-18 goat-22 goat-23 walks the split picture: nine messages become a summary, five are preserved", async () => {
    const { plan, floor } = await folded(split, inWindow);
    expect(floor).toBe(false);
    expect(shownIn(split, plan)).toEqual(["[summary]", "u4", "a4", "t4", "u5", "a5"]);
    expect(plan.summarizations.map((record) => record.span.messageIds)).toEqual([
      ["u1", "a1", "t1", "u2", "a2", "t2", "u3", "a3", "t3"],
    ]);
    expect(goatPreset.config).toMatchObject({
      summaryRole: "pair",
      summaryWording: { introduction: "[COMPACT SUMMARY]", answer: "Understood." },
    });
  });

  it("goat-17 never splits a call from its result: of the nine messages of the flow picture every kept result has its call", async () => {
    const thread = scriptThread("u1 a1 t1 u2 a2 u3 a3 t3 a3", 17_000);
    const { plan } = await folded(thread, inWindow);
    expect(shownIn(thread, plan)).toEqual(["[summary]", "u3", "a3", "t3", "a3.2"]);
  });

  it("goat-20 goat-21 degrades gracefully: a failing summarizer leaves the last 40 % and a placeholder with the number of folded messages", async () => {
    const broken: Summarizer = { id: "llm@1", summarize: () => Promise.reject(new Error("timeout")) };
    const { plan, summarizerProblem } = await folded(split, { ...inWindow, ports: { summarizer: broken } });
    expect(shownIn(split, plan)).toEqual(["[summary]", "u4", "a4", "t4", "u5", "a5"]);
    expect(summarizerProblem).toContain("timeout");
    expect(plan.summarizations[0]?.summary.facts[0]?.text).toContain("9 messages");
  });

  it("keeps 40 % of what is shown, not of the whole history, when it folds again", async () => {
    const first = await folded(split, inWindow);
    const grown = scriptThread("u1 a1 t1 u2 a2 t2 u3 a3 t3 u4 a4 t4 u5 a5 u6 a6 u7 a7 u8", (id) =>
      Number(id.slice(1)) > 5 ? 25_000 : 10_600,
    );
    const { plan } = await folded(grown, { ...inWindow, plan: first.plan });
    expect(shownIn(grown, plan)).toEqual(["[summary]", "a6", "u7", "a7", "u8"]);
    expect(plan.summarizations).toHaveLength(1);
  });

  it("folds by the floor, and only down to half of the window, if the last 40 % alone are too large", async () => {
    const script = Array.from({ length: 40 }, (_, turn) => `u${turn} a${turn}`).join(" ");
    const thread = scriptThread(script, (id) => (Number(id.slice(1)) < 20 ? 50 : 500));
    const thorough: Summarizer = {
      id: "thorough@1",
      summarize: async ({ messages, maxTokens }) => {
        const sources = messages.slice(0, 1).map(({ id }) => id);
        const notes = Array.from(
          { length: Math.floor(maxTokens / 40) },
          (_, at) => `Note ${at}: ${"word ".repeat(18)}.`,
        );
        return { changes: notes.map((text) => ({ op: "add", section: "facts", item: { text, sources } })) };
      },
    };
    const ports = { summarizer: thorough };
    const result = await folded(thread, { preset: goatPreset, config: { maxInputTokens: 8_000 }, ports });
    expect(result.floor).toBe(true);
    expect(result.tokens.after).toBeLessThanOrEqual(4_000);
    expect(result.tokens.after).toBeGreaterThan(3_000);
  });
});
