import {
  AgentThread,
  actionOf,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  groupRecords,
  type MessageInput,
  normalizePlan,
  type PlanVerifier,
  planRecords,
  previewOf,
  renderSummary,
  type Summarizer,
  tokenBudget,
} from "@threadfold/core";
import { agentThreads, assistant, call, countingTokenizer, message, result, runs, tool } from "@threadfold/core/laws";
import { clearStrategy, newestUserOrdinal, threadfoldPreset } from "@threadfold/strategies";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factSummarizer, folded, runFold } from "../testing/run-fold.ts";
import { missingPins, viewVerifier } from "../testing/view-verifier.ts";

describe("foldThread on random threads and budgets", () => {
  it("fits or reports why not, and keeps groups whole and the newest user message", async () => {
    await fc.assert(
      fc.asyncProperty(
        agentThreads({ malformed: true }),
        fc.integer({ min: 40, max: 4_000 }),
        async (thread, maxInputTokens) => {
          const { result, shape } = runFold(thread, { config: { maxInputTokens, preserveRecentTurns: 2 } });
          const outcome = await result;
          if (outcome.type !== "ready") {
            expect(["no-op", "infeasible", "inflated"]).toContain(outcome.type);
            if (outcome.type === "infeasible") expect(outcome.required).toBeGreaterThan(outcome.budget);
            return;
          }
          expect(outcome.tokens.after).toBeLessThanOrEqual(maxInputTokens);
          expect(outcome.tokens.after).toBeLessThan(outcome.tokens.before);
          const { records, changes } = normalizePlan(outcome.plan, shape);
          expect(changes).toEqual([]);
          expect(records).toEqual(groupRecords(planRecords(outcome.plan)));
          expect(missingPins(thread, outcome.plan)).toEqual([]);
          const newest = newestUserOrdinal(shape);
          if (newest >= 0) expect(actionOf(outcome.plan, shape.header(newest).id).action).toBe("include");
        },
      ),
      runs(200),
    );
  });

  it("gives the same plan for the same input", async () => {
    await fc.assert(
      fc.asyncProperty(agentThreads({ malformed: true }), async (thread) => {
        const [first, second] = await Promise.all([
          runFold(thread, { config: { maxInputTokens: 300 } }).result,
          runFold(thread, { config: { maxInputTokens: 300 } }).result,
        ]);
        expect(second).toEqual(first);
      }),
      runs(60),
    );
  });
});

const talk = (turns: number, characters = 400): AgentThread =>
  AgentThread.empty(asThreadId("t")).append(
    Array.from({ length: turns }, (_, turn) => [
      message(`u${turn}`, "user", `Question ${turn} ${"q".repeat(characters)}`),
      message(`a${turn}`, "assistant", `Answer ${turn} ${"a".repeat(characters)}`),
    ]).flat(),
  );

describe("a fold whose rendering takes more tokens than estimated", () => {
  const steps = Array.from({ length: 20 }, (_, step): readonly MessageInput[] => {
    const answer = result(`c${step}`, "r".repeat(4_000), { toolName: "bash" });
    return [assistant(`a${step}`, call(`c${step}`, "bash", { step })), tool(`r${step}`, answer)];
  }).flat();
  const thread = AgentThread.empty(asThreadId("t")).append([
    message("u", "user", "Go."),
    ...steps,
    message("end", "assistant", "Done."),
  ]);
  /** What stands for a cleared result costs so much more than any strategy knows. */
  const dear = (plan: CompactionPlan): number => viewVerifier(thread).measure(plan) + 600 * plan.clearings.length;
  const verifier: PlanVerifier = {
    measure: dear,
    verify: (plan) => ({ ...viewVerifier(thread).verify(plan), tokens: dear(plan) }),
  };

  it("repeats the same attempt for the missing tokens before it tries a harder one", async () => {
    const preset = { ...threadfoldPreset, ladder: [clearStrategy] };
    const config = { maxInputTokens: 16_000, preserveRecentTurns: 0, preserveRecentPercent: 0.01 };
    const run = runFold(thread, { preset, config, ports: { verifier } });
    const outcome = await run.result;
    if (outcome.type !== "ready") throw new Error(outcome.type);
    const { softLimit } = tokenBudget(run.config);
    expect(outcome.attempts.map(({ attempt }) => attempt)).toEqual(["ladder", "ladder"]);
    expect(outcome.attempts.map(({ tokens }) => tokens > softLimit)).toEqual([true, false]);
  });
});

describe("a fold across a provider's own compaction, which no summary may hold", () => {
  const compaction = (id: string, length = 60_000): MessageInput =>
    assistant(id, {
      ...{ type: "opaque", provider: "openai" },
      value: { type: "compaction", encrypted_content: "x".repeat(length) },
    });
  const said = (from: number, to: number): readonly MessageInput[] =>
    Array.from({ length: to - from }, (_, at) =>
      message(`m${from + at}`, at % 2 === 0 ? "user" : "assistant", `Part ${from + at} ${"p".repeat(400)}`),
    );
  const thread = AgentThread.empty(asThreadId("t")).append([...said(0, 30), compaction("c"), ...said(30, 80)]);
  /** Notes each message that it reads. */
  const noting = () => {
    const spans: number[] = [];
    const summarizer: Summarizer = {
      id: "noting@1",
      summarize: async ({ messages }) => {
        spans.push(messages.length);
        const notes = messages.map(({ id }) => ({ text: `Something about ${id}.`, sources: [id] }));
        return { changes: notes.map((item) => ({ op: "add" as const, section: "facts" as const, item })) };
      },
    };
    return { spans, summarizer };
  };
  const config = { maxInputTokens: 20_000, preserveRecentTurns: 2 };

  it("tells how long each of the summaries is that stand beside it", async () => {
    const { summarizer } = noting();
    const { plan } = await folded(thread, { config, ports: { summarizer } });
    expect(plan.summarizations.length).toBeGreaterThan(1);
    for (const { summary, summaryTokens } of plan.summarizations) {
      const tokens = countingTokenizer().countTokens(renderSummary(summary));
      expect(summaryTokens).toBeGreaterThanOrEqual(tokens);
      expect(summaryTokens).toBeLessThanOrEqual(tokens + 40);
    }
  });

  it("summarizes once, and the next fold does too", async () => {
    const { spans, summarizer } = noting();
    const first = await folded(thread, { config, ports: { summarizer } });
    expect(first.attempts.length).toBe(1);
    const later = thread.append(said(80, 130));
    const next = await folded(later, { config, plan: first.plan, ports: { summarizer } });
    expect(next.attempts.length).toBe(1);
    expect(spans.length).toBe(2);
  });
});

describe("a fold that has folded all that an attempt may fold", () => {
  it("does not do the same again when that is not enough", async () => {
    const asked: string[] = [];
    const summarizer: Summarizer = {
      ...factSummarizer,
      summarize: (request) => {
        asked.push(`${request.messages.length} messages in ${request.maxTokens} tokens`);
        return factSummarizer.summarize(request);
      },
    };
    const measure = (plan: CompactionPlan): number => 4_000 + viewVerifier(talk(20)).measure(plan);
    const verifier: PlanVerifier = {
      measure,
      verify: (plan) => ({ ...viewVerifier(talk(20)).verify(plan), tokens: measure(plan) }),
    };
    const { attempts } = await folded(talk(20), {
      ...{ config: { maxInputTokens: 4_300 }, ports: { verifier, summarizer } },
    });
    const told = attempts.map(({ attempt, tokens }) => `${attempt}: ${tokens}`);
    expect(new Set(told).size, told.join(", ")).toBe(told.length);
    expect(new Set(asked).size, asked.join(", ")).toBe(asked.length);
  });
});

describe("foldThread", () => {
  it("does nothing within the target", async () => {
    const { result } = runFold(talk(2));
    expect(await result).toMatchObject({ type: "no-op" });
  });

  it("summarizes the oldest messages and keeps the recent ones", async () => {
    const { result } = runFold(talk(20), { config: { maxInputTokens: 3_000 } });
    const outcome = await result;
    expect(outcome).toMatchObject({ type: "ready", floor: false });
    if (outcome.type !== "ready") return;
    expect(outcome.plan.summarizations).toHaveLength(1);
    expect(outcome.plan.summarizations[0]?.span.messageIds[0]).toBe("u0");
    expect(actionOf(outcome.plan, asMessageId("a19")).action).toBe("include");
  });

  it("S21 C4 builds a second fold on the first: one summary of round 2, and no message read twice", async () => {
    const seen: string[] = [];
    const summarizer: Summarizer = {
      id: "seen@1",
      summarize: async (request) => {
        seen.push(...request.messages.map((message) => message.id));
        return factSummarizer.summarize(request);
      },
    };
    const config = { maxInputTokens: 3_000 };
    const first = await runFold(talk(20), { config, ports: { summarizer } }).result;
    if (first.type !== "ready") throw new Error(first.type);
    const second = await runFold(talk(40), { config, ports: { summarizer }, plan: first.plan }).result;
    if (second.type !== "ready") throw new Error(second.type);
    expect(new Set(seen).size).toBe(seen.length);
    expect(second.plan.summarizations).toHaveLength(1);
    expect(second.plan.summarizations[0]?.summary.round).toBe(2);
    expect(second.plan.version).toBe(2);
    const facts = second.plan.summarizations[0]?.summary.facts.length ?? 0;
    expect(facts).toBeGreaterThan(1);
  });

  it("S18 P6 folds without the summarizer when it throws or returns no changes", async () => {
    for (const summarizer of [
      { id: "broken@1", summarize: () => Promise.reject(new Error("model is down")) },
      { id: "blank@1", summarize: async () => ({ changes: [] }) },
    ] satisfies Summarizer[]) {
      const outcome = await runFold(talk(20), { config: { maxInputTokens: 3_000 }, ports: { summarizer } }).result;
      expect(outcome).toMatchObject({ type: "ready", summarizerProblem: expect.stringContaining(summarizer.id) });
    }
  });

  it("drops the oldest groups when nothing gentler is enabled", async () => {
    const { result } = runFold(talk(20), {
      config: {
        maxInputTokens: 3_000,
        enableSummarization: false,
        enableClearing: false,
        enableExternalization: false,
      },
    });
    const outcome = await result;
    if (outcome.type !== "ready") throw new Error(outcome.type);
    expect(outcome.plan.drops.length).toBeGreaterThan(0);
    expect(outcome.plan.drops[0]?.keywords).toContain("Question");
  });

  it("L29 is infeasible when the newest user message alone exceeds the budget", async () => {
    const thread = AgentThread.empty(asThreadId("t")).append([message("u", "user", "x".repeat(8_000))]);
    expect(await runFold(thread, { config: { maxInputTokens: 500 } }).result).toMatchObject({
      type: "infeasible",
      budget: 498,
    });
  });

  it("S26 ends as ineffective when a soft fold frees too little", async () => {
    const outcome = await runFold(talk(20), {
      config: { maxInputTokens: 4_600, targetPercent: 0.84, minReclaimPercent: 0.5 },
      input: { hard: false },
    }).result;
    expect(outcome).toMatchObject({ type: "ineffective" });
    expect(outcome.tokens.after).toBe(outcome.tokens.before);
  });

  it("S26 asks no summarizer for a soft fold of messages that together are too small", async () => {
    const asked: number[] = [];
    const summarizer: Summarizer = {
      ...factSummarizer,
      summarize: (input) => {
        asked.push(input.messages.length);
        return factSummarizer.summarize(input);
      },
    };
    const soft = (minReclaimPercent: number, hard = false) => {
      const config = { maxInputTokens: 4_600, targetPercent: 0.84, minReclaimPercent };
      return runFold(talk(20), { config, input: { hard }, ports: { summarizer } }).result;
    };
    const outcome = await soft(0.99);
    expect(asked).toEqual([]);
    if (outcome.type !== "ineffective") throw new Error(outcome.type);
    expect(outcome.freed).toBeGreaterThan(0);
    expect(outcome.freed).toBeLessThan(outcome.required);
    expect(outcome.tokens.after).toBe(outcome.tokens.before);
    // They take enough, but not their summary frees it.
    expect((await soft((0.99 * outcome.freed) / outcome.required)).type).toBe("ineffective");
    expect(asked).toHaveLength(1);
    expect((await soft(0.99, true)).type).toBe("ready");
  });

  it("ends as aborted when its signal fires", async () => {
    const controller = new AbortController();
    controller.abort();
    const { result } = runFold(talk(20), { config: { maxInputTokens: 3_000 }, input: { signal: controller.signal } });
    expect((await result).type).toBe("aborted");
  });
});

const actionIn = (plan: CompactionPlan, id: string) => actionOf(plan, asMessageId(id)).action;

/** For the request, the call, and a summary of all that came before, in tokens. */
const ROOM = 500;

describe("the newest message in a fold", () => {
  it("S8 shares the room with the parallel results when together they exceed the cap", async () => {
    const sizes: Record<string, number> = { t1: 6_000, t2: 1_000, t3: 7_000 };
    const thread = scriptThread("u1 a1 t1 t2 t3", (id) => sizes[id] ?? 50);
    const { plan } = await folded(thread, { config: { maxInputTokens: 10_000 } });
    expect(shownIn(thread, plan)).toEqual(["u1", "a1", "[externalized-body t1]", "t2", "[externalized-body t3]"]);
    const [first = 0, last = 0] = plan.externalizations.map((record) => previewOf(record)?.leftOutTokens);
    expect(7_000 - last).toBeGreaterThan(3_800);
    expect(Math.abs(6_000 - first - (7_000 - last))).toBeLessThan(200);
  });

  it("stays when its call is larger than the cap: the call's arguments are cut", async () => {
    const sizes: Record<string, number> = { a2: 12_000, t2: 6_000 };
    const thread = scriptThread("u1 a1 t1 a2 t2", (id) => sizes[id] ?? 50);
    const { plan } = await folded(thread, { config: { maxInputTokens: 10_000 } });
    expect([actionIn(plan, "a2"), actionIn(plan, "t2")]).toEqual(["clear", "include"]);
  });

  it("stays even if the plan then exceeds the soft threshold, and is cut only above the cap", async () => {
    const history = (newest: number) => scriptThread("u1 a1 t1 a2 t2", (id) => ({ t1: 6_000, t2: newest })[id] ?? 50);
    const config = { maxInputTokens: 10_000, softThresholdPercent: 0.8 };
    const kept = await folded(history(9_000), { config });
    expect(actionIn(kept.plan, "t2")).toBe("include");
    expect(kept.tokens.after).toBeGreaterThan(8_000);
    const cut = await folded(history(10_100), { config });
    expect(actionIn(cut.plan, "t2")).toBe("externalize");
    expect(cut.tokens.after).toBeGreaterThan(7_500);
  });

  it("stays on random histories, with all unread results beside it, if they fit beside the folded rest", async () => {
    const sizes = (minLength: number, maxLength: number) =>
      fc.array(fc.integer({ min: 50, max: 4_000 }), { minLength, maxLength });
    await fc.assert(
      fc.asyncProperty(sizes(0, 8), sizes(1, 6), async (history, batch) => {
        const before = history.map((_, at) => `a${at} t${at}`);
        const results = batch.map((_, at) => `t${history.length + at}`);
        const tokens = [...history, ...batch];
        const thread = scriptThread(["u1", ...before, "a", ...results].join(" "), (id) =>
          id.startsWith("t") ? (tokens[Number(id.slice(1))] as number) : 50,
        );
        const maxInputTokens = batch.reduce((sum, size) => sum + size, 0) + ROOM + 50 * batch.length;
        const outcome = await runFold(thread, { config: { maxInputTokens } }).result;
        if (outcome.type === "no-op") return;
        if (outcome.type !== "ready") throw new Error(outcome.type);
        for (const result of results) expect(actionIn(outcome.plan, result)).toBe("include");
      }),
      runs(100),
    );
  });
});
