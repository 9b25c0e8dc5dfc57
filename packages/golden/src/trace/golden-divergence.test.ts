import { describe, expect, it } from "vitest";
import type { GoldenPolicy } from "../options/golden-options.ts";
import { renderGoldenPrompt } from "../render/render-golden-prompt.ts";
import { sampleMessages } from "../testing/sample-messages.ts";
import { goldenDivergence } from "./golden-divergence.ts";
import { parseTrace, traceFile } from "./prompt-trace.ts";

const messages = sampleMessages(24, { run: "a1b2c3d4", startMs: Date.UTC(2026, 10, 22) });
const traceOf = async (turns: number, policy: GoldenPolicy = {}) =>
  (await renderGoldenPrompt({ messages: messages.slice(0, turns * 4), ...policy })).trace;

describe("the divergence of a prompt from its golden one", () => {
  it("is none when the conversation only grew", async () => {
    expect(goldenDivergence(await traceOf(5), await traceOf(5))).toBeNull();
    expect(
      goldenDivergence(await traceOf(5, { format: "openai-chat" }), await traceOf(9, { format: "openai-chat" })),
    ).toEqual(expect.objectContaining({ kind: "passing", reason: "the continuation is gone" }));
  });

  it("names the fold that changed, and what writing the prompt anew costs", async () => {
    const golden = await traceOf(24, { config: { maxInputTokens: 6_000 } });
    const tighter = await traceOf(24, { config: { maxInputTokens: 4_000 } });
    const divergence = goldenDivergence(golden, tighter);
    expect(divergence?.text).toMatch(/^diverged at message 1: summary of turns 1-\d+ /);
    const whole = golden.messages.reduce((sum, { tokens }) => sum + tokens, golden.frameTokens);
    expect(divergence).toMatchObject({ keptTokens: 0, lostTokens: whole });
    expect(divergence?.price).toEqual({
      id: "anthropic",
      read: Math.round(whole * 0.1),
      write: Math.round(whole * 1.25),
    });
  });

  it("keeps what stands before it, unless that is shorter than the provider caches", async () => {
    const golden = await traceOf(24);
    const changedAt = (index: number) => {
      const changed = golden.messages.map((message, at) => (at === index ? { ...message, digest: "other" } : message));
      return goldenDivergence(golden, { ...golden, messages: changed });
    };
    const late = changedAt(60);
    expect(late?.text).toBe("diverged at message 60: user message message-61 changed");
    expect(late?.keptTokens).toBeGreaterThan(1_024);
    expect(changedAt(2)).toMatchObject({ message: 2, keptTokens: 0 });
  });

  it("is before the first message when system text, tools or format changed", async () => {
    const golden = await traceOf(3, { frame: { system: ["Be brief."], tools: [] } });
    const other = await traceOf(3, { frame: { system: ["Be long."], tools: [] } });
    expect(goldenDivergence(golden, other)).toMatchObject({ message: -1, kind: "system", keptTokens: 0 });
    const chat = await traceOf(3, { format: "openai-chat" });
    expect(goldenDivergence(await traceOf(3), chat)).toMatchObject({ message: -1, kind: "format", keptTokens: 0 });
  });
});

describe("a trace", () => {
  it("reads back as it was written", async () => {
    const trace = await traceOf(24, { config: { maxInputTokens: 4_000 } });
    expect(parseTrace(traceFile(trace))).toEqual(trace);
    expect(traceFile(trace).split("\n")).toHaveLength(trace.messages.length + 9);
  });

  it.each([undefined, "", "<<<<<<< HEAD\n{}", "null", "{}", '{"messages":[]}'])("is none in %j", (text) => {
    expect(parseTrace(text)).toBeNull();
  });

  it("is none when one of its messages is none", async () => {
    const trace = await traceOf(1);
    const broken = { ...trace, messages: [...trace.messages, { role: "user", action: "include", tokens: "many" }] };
    expect(parseTrace(JSON.stringify(broken))).toBeNull();
  });
});
