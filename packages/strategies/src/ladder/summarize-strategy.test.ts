import { AgentThread, asThreadId, emptyPlan } from "@threadfold/core";
import { assistant, call, message, result, text, tool } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { DraftPlan } from "../draft/draft-plan.ts";
import { scriptMessages, scriptThread } from "../laws/script-thread.ts";
import { contextOf } from "../laws/strategy-context-arbitrary.ts";
import type { CompactionProposal, StrategyContext } from "../strategy/compaction-strategy.ts";
import { gatherGroups, summarizeGroups, summarizeStrategy, summaryLimit } from "./summarize-strategy.ts";

const contextFor = (script: string, tokens = 1_000): StrategyContext =>
  contextOf(scriptThread(script, tokens), 100_000);

/** The context of the same thread after a fold that did this. */
function afterFold(context: StrategyContext, ...proposals: readonly CompactionProposal[]): StrategyContext {
  const draft = new DraftPlan(emptyPlan(asThreadId("t"), "test"), context.shape);
  for (const proposal of proposals) draft.choose(proposal);
  return { ...context, heldBy: (at) => draft.heldBy(at), renderedTokens: (header) => draft.renderedTokens(header) };
}

const oldGroups = ({ foldable }: StrategyContext, ...ordinals: readonly number[]) =>
  foldable.filter(({ ordinals: own }) => own.some((ordinal) => ordinals.includes(ordinal)));

const dropOf = (ordinals: readonly number[]): CompactionProposal => ({
  ...{ action: "drop", strategy: "earlier", ordinals, estimatedTokensFreed: 1, reason: "an earlier fold" },
});

describe("summarizing", () => {
  const script = "u1 a1 u2 a2 u3 a3 u4 a4 u5 a5";

  it("proposes one summary per unbroken run, and none of dropped messages (S16)", () => {
    const context = contextFor(script);
    const whole = summarizeGroups(oldGroups(context, 0, 1, 2, 3), "test", context);
    expect(whole.map(({ ordinals }) => ordinals)).toEqual([[0, 1, 2, 3]]);
    const apart = summarizeGroups(oldGroups(context, 0, 1, 4, 5), "test", context);
    expect(apart.map(({ ordinals }) => ordinals)).toEqual([
      [0, 1],
      [4, 5],
    ]);
    const gone = afterFold(context, dropOf([1, 2]));
    const around = summarizeGroups(oldGroups(gone, 0, 1, 2, 3), "test", gone);
    expect(around.map(({ action, ordinals }) => [action, ordinals])).toEqual([
      ["drop", [0]],
      ["summarize", [3]],
    ]);
    expect(around.map((proposal) => proposal.action === "summarize" && proposal.gathers)).toEqual([false, [0]]);
  });

  it("proposes no summary that would not make its messages smaller", () => {
    const context = contextFor(script, 10);
    expect(context.summaryMaxTokens).toBeGreaterThan(20);
    const { config } = context;
    const longer = { ...context, config: { ...config, summarizeTargetRatio: 1 } };
    expect(summarizeGroups(oldGroups(context, 0, 1), "test", longer)).toEqual([]);
    expect(summarizeGroups(oldGroups(context, 0, 1), "test", context)).toHaveLength(1);
  });

  it("tears no call from its result when a summary of only one of them would be smaller", () => {
    const thread = AgentThread.empty(asThreadId("t")).append([
      message("asked", "user", "x".repeat(400)),
      assistant("call", [text("x".repeat(4_000)), call("c")]),
      message("note", "system", "It takes a while."),
      tool("result", result("c", "x".repeat(4_000))),
      ...scriptMessages("u1 a1 u2 a2 u3 a3 u4 a4 u5"),
    ]);
    const context = contextOf(thread, 100_000);
    const emptied = afterFold(context, {
      ...{ action: "clear", strategy: "earlier", targets: ["tool-result"], ordinals: [3] },
      ...{ estimatedTokensFreed: 1, reason: "an earlier fold" },
    });
    const summarized = (given: StrategyContext) =>
      summarizeGroups(oldGroups(given, 0, 1, 3), "test", given).map(({ ordinals }) => ordinals);
    expect(summarized(context)).toEqual([[0, 1], [3]]);
    expect(summarized(emptied)).toEqual([[0]]);
  });

  it("gathers several runs into one summary at the place of the last run, and drops the others", () => {
    const context = contextFor(script);
    const [drop, summary, ...others] = gatherGroups(oldGroups(context, 0, 1, 4, 5), "test", context);
    expect(others).toEqual([]);
    expect(drop).toMatchObject({ action: "drop", ordinals: [0, 1], estimatedTokensFreed: 2_000 });
    expect(summary).toMatchObject({ action: "summarize", ordinals: [4, 5], gathers: [0, 1] });
    const [alone] = summarizeGroups(oldGroups(context, 4, 5), "test", context);
    // Together they free what all messages take, less the one summary.
    const freed = (drop?.estimatedTokensFreed ?? 0) + (summary?.estimatedTokensFreed ?? 0);
    expect(freed).toBe(4_000 - context.summaryMaxTokens);
    expect(freed).toBeGreaterThan(alone?.estimatedTokensFreed ?? 0);
  });

  it("gathers a single run as an ordinary summary, and proposes nothing without messages", () => {
    const context = contextFor(script);
    const [summary, ...others] = gatherGroups(oldGroups(context, 0, 1), "test", context);
    expect([summary?.ordinals, others]).toEqual([[0, 1], []]);
    expect(summary).not.toHaveProperty("gathers");
    expect(gatherGroups([], "test", context)).toEqual([]);
    const gone = afterFold(context, dropOf([0, 1]));
    expect(gatherGroups(oldGroups(gone, 0, 1), "test", gone)).toEqual([]);
  });

  it("expects nothing of a provider's own compaction, which stays in the prompt", () => {
    const thread = AgentThread.empty(asThreadId("t")).append([
      message("asked", "user", "x".repeat(4_000)),
      assistant("compacted", [
        { type: "opaque", provider: "openai", value: { type: "compaction", encrypted_content: "x".repeat(40_000) } },
      ]),
      message("asked again", "user", "x".repeat(4_000)),
      ...scriptMessages("u1 a1 u2 a2 u3 a3 u4 a4 u5"),
    ]);
    const context = contextOf(thread, 100_000);
    expect(context.shape.header(1)).toMatchObject({ holdsCompaction: true });
    const [summary, ...others] = summarizeGroups(oldGroups(context, 0, 1, 2), "test", context);
    expect([summary?.ordinals, others]).toEqual([[0, 1, 2], []]);
    const most = context.shape.header(0).tokens + context.shape.header(2).tokens;
    expect(summary?.estimatedTokensFreed).toBeLessThan(most);
    expect(summarizeGroups(oldGroups(context, 1), "test", context)).toEqual([]);
    const little = { ...context, needed: 500 };
    expect(summarizeStrategy.analyze(little).flatMap(({ ordinals }) => ordinals)).toEqual([0]);
    const more = { ...context, needed: context.shape.header(0).tokens + 500 };
    expect(summarizeStrategy.analyze(more).flatMap(({ ordinals }) => ordinals)).toEqual([0, 1, 2]);
  });

  it("absorbs earlier summaries, sizes the result by the new messages, and never summarizes a summary alone", () => {
    const context = contextFor(script);
    const held = { action: "summarize", summary: {}, summaryTokens: 60 } as never;
    const summarized = {
      ...context,
      heldBy: (at: number) => (at < 2 ? held : undefined),
      renderedTokens: ({ ordinal, tokens }: { ordinal: number; tokens: number }) =>
        ordinal === 0 ? 60 : ordinal === 1 ? 0 : tokens,
      summaryMaxTokens: 5_000,
      config: { ...context.config, summarizeTargetRatio: 0.25 },
    };
    const [both] = summarizeGroups(oldGroups(context, 0, 1, 2, 3), "test", summarized);
    // A quarter of the 2,000 tokens that are new, and 60 for the summary before.
    expect(both).toMatchObject({ absorbs: [held], ordinals: [0, 1, 2, 3], estimatedTokensFreed: 2_060 - 560 });
    // A summary of nothing but a summary would say the same again.
    expect(summarizeGroups(oldGroups(context, 0, 1), "test", summarized)).toEqual([]);
    // Where even bodies are truncated, it says less.
    const { truncateTo = 800, ...narrow } = { ...summarized, summaryMaxTokens: 25 };
    expect(summarizeGroups(oldGroups(context, 0, 1), "test", narrow)).toEqual([]);
    const [shorter] = summarizeGroups(oldGroups(context, 0, 1), "test", { ...narrow, truncateTo });
    expect(shorter).toMatchObject({ absorbs: [held], ordinals: [0, 1], estimatedTokensFreed: 35 });
  });

  it("takes half of what is left of messages that were cleared, where the usual share would be more", () => {
    const sizes = (id: string) => (id === "t1" ? 8_000 : 500);
    const context = contextOf(scriptThread("u1 a1 t1 a2 u2 a3 u3 a4 u4 a5 u5", sizes), 100_000);
    const config = { ...context.config, summarizeTargetRatio: 0.25 };
    const wide = { ...context, config, summaryMaxTokens: 5_000 };
    const cleared = afterFold(wide, {
      ...{ action: "clear", strategy: "earlier", targets: ["tool-result"], ordinals: [2] },
      ...{ estimatedTokensFreed: 1, reason: "an earlier fold" },
    });
    const propose = (given: StrategyContext) => summarizeGroups(oldGroups(given, 0, 1, 3), "test", given)[0];
    expect(propose(wide)).not.toHaveProperty("maxTokens");
    const left = [0, 1, 2, 3].reduce((sum, at) => sum + cleared.renderedTokens(cleared.shape.header(at)), 0);
    expect(left).toBeLessThan(0.25 * 9_500);
    const half = Math.floor(left / 2);
    expect(propose(cleared)).toMatchObject({ maxTokens: half, estimatedTokensFreed: left - half });
    // Too little is left for any summary.
    const little = contextFor("u1 a1 u2 a2 u3", 150);
    const small = { ...little, config: { ...config, summarizeTargetRatio: 1 }, summaryMaxTokens: 5_000 };
    expect(summarizeGroups(oldGroups(small, 0, 1), "test", small)).toEqual([]);
  });

  it("states how many messages of which turns a summary covers", () => {
    const context = contextFor(script);
    const reason = (...ordinals: readonly number[]) =>
      summarizeGroups(oldGroups(context, ...ordinals), "test", context)[0]?.reason;
    expect(reason(0, 1)).toMatch(/^2 messages of turn 1 are/);
    expect(reason(0, 1, 2, 3, 4)).toMatch(/^5 messages of turns 1–3 are/);
  });

  it("adds the sizes of all absorbed summaries to the limit of the new one", () => {
    const absorbs = [{ summaryTokens: 30 }, { summaryTokens: 12 }] as never;
    const { config } = contextFor(script);
    const limits = { config: { ...config, summarizeTargetRatio: 0.25 }, summaryMaxTokens: 5_000 };
    expect(summaryLimit({ rawTokens: 1_001, absorbs }, limits)).toBe(501 + 42);
  });

  it("limits a summary to twice its share, with a minimum, and never above the fold's maximum", () => {
    const { config } = contextFor(script);
    const limits = { config: { ...config, summarizeTargetRatio: 0.25 }, summaryMaxTokens: 5_000 };
    expect(summaryLimit({ rawTokens: 4_000, absorbs: [] }, limits)).toBe(2_000);
    expect(summaryLimit({ rawTokens: 10, absorbs: [] }, limits)).toBe(200);
    expect(summaryLimit({ rawTokens: 40_000, absorbs: [] }, limits)).toBe(5_000);
    expect(summaryLimit({ rawTokens: 10, absorbs: [] }, { ...limits, summaryMaxTokens: 90 })).toBe(90);
  });
});
