import type { CompactionPlan, Summarizer } from "@threadfold/core";
import { countingTokenizer } from "@threadfold/core/laws";
import { aiSdk, aiSdkPreset } from "@threadfold/strategies";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded, runFold } from "../testing/run-fold.ts";
import { triggerLevel } from "../testing/turn-case.ts";

const WINDOW = 128_000;
const inWindow = { preset: aiSdkPreset, config: { maxInputTokens: WINDOW } };
/** Seed 003's 50 messages: [0] system, [1] user, pairs of call and result from [2] to [45], [46] assistant, [47] user, [48] call, [49] result. */
const FIFTY = `s0 u1 ${"a t ".repeat(22)}a u2 a t`;
const fifty = scriptThread(FIFTY, 1_900);

describe("seed 003, AI SDK", () => {
  it("estimates one token per four characters, rounded up", () => {
    const { countTokens } = countingTokenizer();
    expect([0, 1, 4, 5].map((length) => countTokens("x".repeat(length)))).toEqual([0, 1, 1, 2]);
  });

  it("layer-6 layer-11 layer-12 fires at 93 600 of 128 000 tokens, and not with eleven messages or fewer", () => {
    expect(triggerLevel(aiSdkPreset, WINDOW, { tokens: 93_599 })).toBe("none");
    expect(triggerLevel(aiSdkPreset, WINDOW, { tokens: 93_600 })).toBe("soft");
    expect(triggerLevel(aiSdkPreset, WINDOW, { tokens: 93_600, messages: 11 })).toBe("none");
    expect(triggerLevel(aiSdkPreset, WINDOW, { tokens: 93_600, messages: 12 })).toBe("soft");
  });

  it("layer-14 layer-15 before/after: of 50 messages the system message, the summary and [40] to [49] are left", async () => {
    expect(fifty.length).toBe(50);
    const ids = [...fifty.messages].map((message) => message.id as string);
    const { plan } = await folded(fifty, inWindow);
    expect(shownIn(fifty, plan)).toEqual(["s0", "[summary]", ...ids.slice(40)]);
    expect(shownIn(fifty, plan)).toHaveLength(12);
    expect(plan.summarizations[0]?.span.messageIds).toEqual(ids.slice(1, 40));
    expect(aiSdkPreset.config).toMatchObject({
      summaryRole: "assistant",
      summaryWording: { introduction: "## Session Summary (Compaction Round {round})" },
    });
  });

  it("layer-14 tool pair preservation: a boundary at a result walks back to its call, so that eleven stay", async () => {
    const thread = scriptThread(`s0 u1 ${"a t ".repeat(22)}a u2 a t a`, 1_900);
    const { plan } = await folded(thread, inWindow);
    expect(shownIn(thread, plan).slice(2)).toEqual([...thread.messages].slice(40).map((message) => message.id));
  });

  it("layer-16 chained summaries: each round builds on the one before and reads no message twice", async () => {
    const read: string[] = [];
    const summarizer: Summarizer = {
      id: "rounds@1",
      summarize: async ({ messages, span, previous }) => {
        read.push(...messages.map((message) => message.id));
        const text = `round ${(previous?.round ?? 0) + 1}`;
        return { changes: [{ op: "add", section: "facts", item: { text, sources: span.messageIds.slice(-1) } }] };
      },
    };
    let plan: CompactionPlan | undefined;
    for (const [round, messages] of [40, 80, 120].entries()) {
      const thread = scriptThread("u a ".repeat(messages / 2), 2_500);
      plan = (await folded(thread, { ...inWindow, ports: { summarizer }, ...(plan && { plan }) })).plan;
      const [record] = plan.summarizations;
      expect(record?.summary.round).toBe(round + 1);
      expect(record?.span.messageIds).toHaveLength(messages - 10);
      expect(shownIn(thread, plan)).toHaveLength(11);
    }
    expect(plan?.summarizations[0]?.summary.facts.map((fact) => fact.text)).toEqual(["round 1", "round 2", "round 3"]);
    expect(new Set(read).size).toBe(read.length);
  });

  it("layer-25 layer-34 edge cases: nothing to compact is a no-op, and a failing summarizer does not end the loop", async () => {
    const recent = scriptThread("s0 u1 a1 t1 a2", 10_000);
    expect(await runFold(recent, inWindow).result).toMatchObject({ type: "no-op" });
    const broken: Summarizer = { id: "llm@1", summarize: () => Promise.reject(new Error("API error")) };
    // The seed leaves the messages as they are; a summary without a model takes their place here, so that the prompt fits (P6).
    expect(await folded(fifty, { ...inWindow, ports: { summarizer: broken } })).toMatchObject({
      summarizerProblem: expect.stringContaining("API error"),
    });
  });
});

describe("the figures of the AI SDK layer as configuration", () => {
  it("layer-4 layer-5 reserves move the threshold, 93 600 of 128 000 tokens without them", () => {
    expect(aiSdkPreset.config.maxInputTokens).toBe(128_000);
    const levels = (preset: typeof aiSdkPreset, tokens: number) =>
      [tokens - 1, tokens].map((size) => triggerLevel(preset, 128_000, { tokens: size }));
    expect(levels(aiSdkPreset, 93_600)).toEqual(["none", "soft"]);
    const own = aiSdk({ systemReserve: 12_000, outputReserve: 8_000, safetyBuffer: 8_000 });
    expect(levels(own, 80_000)).toEqual(["none", "soft"]);
    expect(own.config.policyVersion).not.toBe(aiSdkPreset.config.policyVersion);
  });

  it("layer-4 keeps the configured number of recent messages, and refuses invalid figures", async () => {
    const script = Array.from({ length: 12 }, (_, turn) => `u${turn} a${turn}`).join(" ");
    const thread = scriptThread(script, 5_000);
    for (const recentMessagesToKeep of [4, 8]) {
      const preset = aiSdk({ recentMessagesToKeep });
      const { plan } = await folded(thread, { preset, config: { maxInputTokens: 128_000 } });
      expect(shownIn(thread, plan)).toHaveLength(recentMessagesToKeep + 1);
    }
    for (const settings of [{ recentMessagesToKeep: -1 }, { safetyBuffer: 0.5 }, { keepLast: 3 }])
      expect(() => aiSdk(settings as object)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });
});
