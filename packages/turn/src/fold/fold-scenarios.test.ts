import {
  AgentThread,
  actionOf,
  asMessageId,
  asThreadId,
  emptyPlan,
  explainMessage,
  type MessageInput,
  normalizePlan,
  parsePlan,
  planRecords,
  type Summarizer,
  serializePlan,
} from "@threadfold/core";
import { agentThreads, message, runs } from "@threadfold/core/laws";
import {
  type CompactionStrategy,
  claudeCodePreset,
  codexPreset,
  nothing,
  opencodePreset,
  recursiveSummarization,
  type StrategyContext,
  springSessionPreset,
  threadfoldPreset,
  truncateStrategy,
  windowStrategy,
} from "@threadfold/strategies";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factSummarizer, folded, runFold } from "../testing/run-fold.ts";

/** A summarizer that must not be called. */
const silent: Summarizer = { id: "silent@1", summarize: () => Promise.reject(new Error("must not be called")) };
const helpless: CompactionStrategy = { name: "helpless", aggressiveness: 1, analyze: () => [] };

describe("fold scenarios", () => {
  it("S6 a single group beside the system message is not folded, and no summarizer is called", async () => {
    const thread = scriptThread("s0 u1", 400);
    const config = { maxInputTokens: 1_000 };
    expect(await runFold(thread, { config, ports: { summarizer: silent } }).result).toMatchObject({ type: "no-op" });
  });

  it("S9 without a user message, all system messages are kept", async () => {
    const thread = scriptThread("s0 s1 s2 a1 a2", 400);
    const config = { maxInputTokens: 1_500 };
    const { plan } = await folded(thread, { config });
    expect(shownIn(thread, plan).slice(0, 3)).toEqual(["s0", "s1", "s2"]);
    const systemAlone = scriptThread("s0 s1 s2", 400);
    expect(await runFold(systemAlone, { config: { maxInputTokens: 1_000 } }).result).toMatchObject({
      type: "infeasible",
      required: 1_200,
      budget: 995,
    });
  });

  it("S10 if no strategy reaches the budget, the floor folds the oldest messages and keeps the newest user message", async () => {
    const thread = scriptThread("u1 a1 u2 a2 u3 a3 u4 a4", 500);
    const preset = { ...threadfoldPreset, ladder: [helpless] };
    const result = await folded(thread, { preset, config: { maxInputTokens: 2_000 } });
    expect(result.floor).toBe(true);
    expect(result.tokens.after).toBeLessThanOrEqual(2_000);
    const shown = shownIn(thread, result.plan);
    expect(shown[0]).toBe("[summary]");
    expect(shown).toContain("u4");
    expect(actionOf(result.plan, asMessageId("u1")).action).toBe("summarize");
  });

  it("S14 a second run over a folded thread changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(agentThreads({ malformed: true }), fc.integer({ min: 300, max: 3_000 }), async (thread, cap) => {
        const config = { maxInputTokens: cap };
        const first = await runFold(thread, { config }).result;
        if (first.type !== "ready" || first.tokens.after > cap / 2) return;
        expect(await runFold(thread, { config, plan: first.plan }).result).toMatchObject({ type: "no-op" });
      }),
      runs(40),
    );
    const thread = scriptThread("u a ".repeat(20), 100);
    const first = await folded(thread, { preset: springSessionPreset });
    expect(await runFold(thread, { preset: springSessionPreset, plan: first.plan }).result).toMatchObject({
      type: "no-op",
    });
  });

  it("S15 a huge result leaves a bounded placeholder, whether it is cleared or truncated", async () => {
    const thread = scriptThread("u1 a1 t1 a2 t2 a3 u2", (id) => (id === "t1" ? 250_000 : id === "t2" ? 39_000 : 50));
    const { plan } = await folded(thread, { preset: opencodePreset, config: { maxInputTokens: 200_000 } });
    expect(plan.clearings.map((record) => record.span.messageIds)).toEqual([["t1"]]);
    expect(JSON.stringify(plan.clearings[0]?.preservedFields).length).toBeLessThan(300);
    const cut = {
      ...truncateStrategy,
      analyze: (context: StrategyContext) => truncateStrategy.analyze({ ...context, truncateTo: 800 }),
    };
    const preset = { ...claudeCodePreset, ladder: [cut] };
    const truncated = await folded(thread, { preset, config: { maxInputTokens: 200_000 } });
    expect(truncated.plan.clearings[0]).toMatchObject({ keep: { headCharacters: 800, tailCharacters: 800 } });
    expect(truncated.tokens.after).toBeLessThan(2_000);
  });

  it("S16 dropped messages do not come back in a later summary", async () => {
    const thread = scriptThread("u1 a1 t1 u2 a2 t2 u3 a3 u4 a4 u5", 500);
    const dropping = {
      maxInputTokens: 4_000,
      enableSummarization: false,
      enableClearing: false,
      enableExternalization: false,
    };
    const first = await folded(thread, { config: dropping });
    const dropped = first.plan.drops.flatMap((record) => record.span.messageIds);
    expect(dropped).toContain("u1");
    const read: string[] = [];
    const summarizer: Summarizer = {
      id: "llm@1",
      summarize: async (request) => {
        read.push(...request.messages.map((message) => message.id));
        return factSummarizer.summarize(request);
      },
    };
    const preset = { ...springSessionPreset, ladder: [recursiveSummarization({ maxEventsToKeep: 1, overlapSize: 0 })] };
    const { plan } = await folded(thread, { preset, plan: first.plan, ports: { summarizer } });
    expect(read.length).toBeGreaterThan(0);
    expect(read.filter((id) => dropped.includes(asMessageId(id)))).toEqual([]);
    for (const id of dropped) expect(actionOf(plan, id).action).toBe("drop");
  });

  it("S17 several old groups are each summarized in place, and stay linked to their summary", async () => {
    const thread = scriptThread("u1 a1 u2 a2 u3", (id) => (id.startsWith("u") ? 500 : 60_000));
    const each = windowStrategy({ name: "each", cut: nothing, fold: "summarize", keepUserTokens: 20_000 });
    const preset = { ...codexPreset, ladder: [each] };
    const { plan } = await folded(thread, { preset, config: { maxInputTokens: 200_000 } });
    expect(shownIn(thread, plan)).toEqual(["u1", "[summary]", "u2", "[summary]", "u3"]);
    for (const record of plan.summarizations) {
      for (const id of record.span.messageIds) {
        expect(actionOf(plan, id).record).toBe(record);
        expect(explainMessage(thread, plan, id).recovery.some((way) => way.from === "thread")).toBe(true);
      }
    }
  });

  it("one summary of scattered messages records every message that it covers", async () => {
    const thread = scriptThread("u1 a1 u2 a2 u3", (id) => (id.startsWith("u") ? 500 : 60_000));
    const { plan } = await folded(thread, { preset: codexPreset, config: { maxInputTokens: 200_000 } });
    expect(shownIn(thread, plan)).toEqual(["u1", "u2", "[summary]", "u3"]);
    const [summary] = plan.summarizations;
    expect(summary).toMatchObject({
      span: { firstTurn: 1, lastTurn: 2 },
      summary: { span: { messageIds: ["a1", "a2"] } },
    });
    expect(actionOf(plan, asMessageId("a1"))).toMatchObject({
      action: "drop",
      record: { reason: expect.stringContaining("covered by the summary") },
    });
  });

  it("S19 a fold that fails or is cancelled halfway leaves thread and plan as they were", async () => {
    const thread = scriptThread("u1 a1 u2 a2 u3 a3 u4", 500);
    const digest = thread.digest;
    const plan = emptyPlan(thread.id, "test");
    const controller = new AbortController();
    const cancelled: Summarizer = {
      id: "llm@1",
      summarize: async ({ signal }) => {
        controller.abort();
        signal?.throwIfAborted();
        return { changes: [] };
      },
    };
    const outcome = await runFold(thread, {
      plan,
      config: { maxInputTokens: 2_000 },
      input: { signal: controller.signal },
      ports: { summarizer: cancelled },
    }).result;
    expect(outcome).toEqual({ type: "aborted", tokens: { before: 3_500, after: 3_500 } });
    expect(thread.digest).toBe(digest);
    expect(shownIn(thread, plan)).toEqual(["u1", "a1", "u2", "a2", "u3", "a3", "u4"]);
  });

  it("S27 if no strategy helps, a soft fold is a no-op, a hard one uses the floor, and an impossible one is infeasible", async () => {
    const thread = scriptThread("u1 a1 u2 a2 u3", 300);
    const preset = { ...claudeCodePreset, ladder: [helpless] };
    const at = (maxInputTokens: number, hard: boolean) =>
      runFold(thread, { preset, config: { maxInputTokens }, input: { hard } }).result;
    expect(await at(2_000, false)).toMatchObject({ type: "no-op", tokens: { before: 1_500, after: 1_500 } });
    expect(await at(1_400, true)).toMatchObject({ type: "ready", floor: true });
    expect(await at(200, true)).toMatchObject({ type: "infeasible", budget: 200, required: 300 });
  });

  it("S32 a summary larger than the messages it replaces ends as inflated, and nothing changes", async () => {
    const thread = scriptThread("u1 a1 u2", 40);
    const verbose: Summarizer = {
      id: "verbose@1",
      summarize: async ({ span }) => ({
        changes: [
          { op: "add", section: "facts", item: { text: "more ".repeat(120), sources: span.messageIds.slice(0, 1) } },
        ],
      }),
    };
    expect(await runFold(thread, { preset: claudeCodePreset, ports: { summarizer: verbose } }).result).toEqual({
      type: "inflated",
      tokens: { before: 120, after: 120 },
    });
  });

  it("S39 a malformed stored plan throws INVALID_PLAN; one that names missing messages folds the others", async () => {
    const thread = scriptThread("u1 a1 u2 a2 u3", 500);
    const { plan } = await folded(thread, { preset: claudeCodePreset });
    const stored = JSON.parse(serializePlan(plan)) as Record<string, unknown>;
    const { summarizations: _missing, ...without } = stored;
    for (const broken of [without, { ...stored, threadVersion: "five" }, { ...stored, planId: "other" }]) {
      expect(() => parsePlan(JSON.stringify(broken))).toThrow(expect.objectContaining({ code: "INVALID_PLAN" }));
    }
    const shorter = scriptThread("u1 a1 u2", 500);
    const { shape } = runFold(shorter);
    const { records } = normalizePlan(plan, shape);
    expect(planRecords(records).flatMap((record) => record.span.messageIds)).toEqual(["u1", "a1", "u2"]);
  });

  it("S42 a message without an id, or with the id of a different message, is refused before any fold", () => {
    const thread = scriptThread("u1 a1");
    const say = (id: string, text: string): MessageInput => ({
      id: asMessageId(id),
      role: "user",
      parts: [{ type: "text", text }],
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    expect(() => thread.append([say("u1", "another text")])).toThrow(
      expect.objectContaining({ code: "DUPLICATE_MESSAGE_ID" }),
    );
    const nameless = { ...say("x", "no id"), id: "" as ReturnType<typeof asMessageId> };
    expect(() => thread.append([nameless])).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE" }));
    expect(thread.length).toBe(2);
  });

  it("L4 a summarizer that overflows is replaced, and a single message that is too large is infeasible without a loop", async () => {
    let calls = 0;
    const overflowing: Summarizer = {
      id: "llm@1",
      summarize: () => {
        calls++;
        return Promise.reject(new Error("prompt is too long"));
      },
    };
    const ports = { summarizer: overflowing };
    const result = await folded(scriptThread("u1 a1 u2 a2 u3", 500), { config: { maxInputTokens: 1_500 }, ports });
    expect(result.summarizerProblem).toContain("too long");
    expect(calls).toBeLessThan(20);
    const single = scriptThread("u1", 5_000);
    expect(await runFold(single, { config: { maxInputTokens: 1_500 }, ports }).result).toMatchObject({
      type: "infeasible",
    });
  });

  it("L16 the newest tool output stays whole within its budget, and is the same after a resume", async () => {
    const script = "u1 a1 t1 a2 t2 a3 t3 a4 t4 u5";
    const sizes: Record<string, number> = { t1: 90_004, t2: 50_004, t3: 15_004, t4: 25_004 };
    const thread = scriptThread(script, (id) => sizes[id] ?? 50);
    const { plan } = await folded(thread, { preset: opencodePreset, config: { maxInputTokens: 150_000 } });
    const shown = shownIn(thread, plan);
    expect(shown.filter((entry) => /^t|t\d\]/.test(entry))).toEqual([
      expect.stringMatching(/^\[.* t1\]$/),
      expect.stringMatching(/^\[.* t2\]$/),
      "t3",
      "t4",
    ]);
    const resumed = AgentThread.empty(asThreadId("t")).append([...thread.messages]);
    expect(shownIn(resumed, parsePlan(serializePlan(plan)))).toEqual(shown);
  });
});

describe("a fold by the floor because the newest message is larger than the budget", () => {
  it("leaves the summary as much room as any other fold", async () => {
    const rooms: number[] = [];
    const summarizer: Summarizer = {
      ...factSummarizer,
      summarize: (request) => {
        rooms.push(request.maxTokens);
        return factSummarizer.summarize(request);
      },
    };
    const config = { maxInputTokens: 10_000 };
    const long = scriptThread("u a ".repeat(100), 1_000);
    await folded(long, { config, ports: { summarizer } });
    const pasted = long.append([message("log", "assistant", `Here is the log. ${"l".repeat(60_000)}`)]);
    const { floor } = await folded(pasted, { config, ports: { summarizer } });
    expect(floor).toBe(true);
    const [usual, last] = [rooms[0] ?? 0, rooms.at(-1) ?? 0];
    expect(last).toBeGreaterThan(0.7 * usual);
  });
});
