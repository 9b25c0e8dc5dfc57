import {
  AgentThread,
  asThreadId,
  type CompactionPlan,
  compactionConfig,
  emptyPlan,
  NO_RECORDS,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  type SummaryChange,
  type SummaryItem,
  ThreadfoldError,
} from "@threadfold/core";
import { countingTokenizer, message, runs } from "@threadfold/core/laws";
import { presetByName } from "@threadfold/strategies";
import { scriptThread } from "@threadfold/strategies/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answers, calls, shapeOf, threadOf } from "../testing/fold-case.ts";
import { folded, runFold } from "../testing/run-fold.ts";
import type { Fulfilment } from "./fulfilment.ts";
import { summarizationRecord } from "./summarization-record.ts";

const thread = scriptThread(`u1 ${Array.from({ length: 40 }, (_, at) => `a${at} t${at}`).join(" ")}`, 500);

/** The limits that summarizers were given in a fold, in tokens. */
async function limitsOf(config: Parameters<typeof folded>[1], of = thread): Promise<readonly number[]> {
  const limits: number[] = [];
  const summarizer: Summarizer = {
    id: "listening@1",
    summarize: async ({ maxTokens, messages }) => {
      limits.push(maxTokens);
      const sources = messages.slice(0, 1).map(({ id }) => id);
      return { changes: [{ op: "add", section: "facts", item: { text: "It went well.", sources } }] };
    },
  };
  await folded(of, { ...config, ports: { summarizer } });
  return limits;
}

describe("the size of a summary", () => {
  it.each([0.05, 0.1, 0.2])("spec-120 is at most twice summarizeTargetRatio of its span: %d", async (ratio) => {
    const sizes: number[] = [];
    const summarizer: Summarizer = {
      id: "talkative@1",
      summarize: async ({ maxTokens, messages }) => {
        const tokens = messages.reduce((sum, message) => sum + countingTokenizer().countMessage(message), 0);
        sizes.push(maxTokens / tokens);
        const facts = Array.from({ length: 400 }, (_, at) => ({
          op: "add" as const,
          section: "facts" as const,
          item: {
            text: `Fact ${at}: ${"it went well, ".repeat(8)}`,
            sources: messages.slice(0, 1).map(({ id }) => id),
          },
        }));
        return { changes: facts };
      },
    };
    const config = {
      maxInputTokens: 20_000,
      summarizeTargetRatio: ratio,
      summaryMaxPercent: 1,
      summaryMaxTokens: 20_000,
    };
    const { plan } = await folded(thread, { config, ports: { summarizer } });
    expect(sizes[0]).toBeCloseTo(2 * ratio, 2);
    for (const { summaryTokens, originalTokens } of plan.summarizations)
      expect(summaryTokens / originalTokens).toBeLessThanOrEqual(2 * ratio + 0.01);
  });

  it("is allowed at least 200 tokens, however short the span", async () => {
    const short = scriptThread("u1 a1 t1 a2 t2 u2", 120);
    const [first] = await limitsOf(
      { config: { maxInputTokens: 700, targetPercent: 0.5, summaryMaxPercent: 1, summarizeTargetRatio: 0.1 } },
      short,
    );
    expect(first).toBe(200);
  });

  it.each([0.1, 0.3])("is at most summaryMaxPercent of the room: %d", async (summaryMaxPercent) => {
    const config = { maxInputTokens: 20_000, summaryMaxPercent, summarizeTargetRatio: 1 };
    const [first] = await limitsOf({ config });
    expect(first).toBe(20_000 * summaryMaxPercent);
  });

  it("is at most summaryMaxTokens in a large room", async () => {
    const [first] = await limitsOf({
      config: { maxInputTokens: 20_000, summaryMaxTokens: 900, summarizeTargetRatio: 1 },
    });
    expect(first).toBe(900);
  });
});

/** One fact a message, so that every fold adds facts and has to let old ones go. */
const factEach = {
  id: "fact-each@1",
  summarize: async ({ messages }: { readonly messages: readonly { readonly id: string }[] }) => ({
    changes: messages.map(({ id }) => ({
      op: "add" as const,
      section: "facts" as const,
      item: { text: `${id} said what nobody else said`, sources: [id as never] },
    })),
  }),
};

const itemsOf = (plan: CompactionPlan): readonly SummaryItem[] =>
  plan.summarizations.flatMap(({ summary }) =>
    SUMMARY_SECTIONS.flatMap((section): readonly SummaryItem[] => summary[section]),
  );

/** What the fold that made a plan took out of summaries. */
const goneIn = ({ summarizations, version }: CompactionPlan): readonly string[] =>
  summarizations
    .filter(({ sincePlanVersion }) => sincePlanVersion === version)
    .flatMap(({ resolved }) => resolved.map(({ item }) => item.id));

describe("an item that a fold removes from a summary", () => {
  it("is recorded as resolved exactly once, in the plan of that fold", async () => {
    let gone = 0;
    const tried = runs(60);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("codex", "ladder", "spring-session-turns"),
        fc.array(fc.integer({ min: 4, max: 30 }), { minLength: 3, maxLength: 5 }),
        fc.integer({ min: 60, max: 400 }),
        async (name, growth, summaryMaxTokens) => {
          let thread = AgentThread.empty(asThreadId("t"));
          let plan = emptyPlan(thread.id, "test");
          const said: string[] = [];
          for (const [round, turns] of growth.entries()) {
            for (let turn = 0; turn < turns; turn++) {
              const id = `${round}.${turn}`;
              thread = thread.append([
                message(`u${id}`, "user", `Question ${id}?`),
                message(`a${id}`, "assistant", "Answer. ".repeat(20)),
              ]);
            }
            const fold = runFold(thread, {
              preset: presetByName(name),
              plan,
              config: { maxInputTokens: 2_000, targetPercent: 0.4, summaryMaxTokens },
              ports: { summarizer: factEach },
            });
            const result = await fold.result;
            if (result.type !== "ready" || result.floor) return;
            const kept = new Set(itemsOf(result.plan).map(({ id }) => id));
            const missing = itemsOf(plan).filter(({ id }) => !kept.has(id));
            const taken = goneIn(result.plan);
            expect(taken).toEqual(expect.arrayContaining(missing.map(({ id }) => id)));
            said.push(...taken);
            plan = result.plan;
          }
          gone += said.length;
          expect(new Set(said).size).toBe(said.length);
        },
      ),
      tried,
    );
    expect(gone).toBeGreaterThan(tried.numRuns);
  });
});

describe("summarizationRecord", () => {
  const own = threadOf(
    { ...message("side", "user", "Elsewhere."), branch: "side" },
    calls("a1", "c1", "bash"),
    answers("t1", "c1", "bash", "all fine"),
    message("a2", "assistant", "Fine."),
  );
  const shape = shapeOf(own);
  const fact: SummaryChange = { op: "add", section: "facts", item: { text: "All is fine.", sources: [] } };

  async function summarized(
    answer: Partial<SummarizeResult> | Error,
    fields: Partial<Fulfilment> = {},
    asked: object = {},
  ) {
    const requests: SummarizeRequest[] = [];
    const told: string[] = [];
    const summarizer: Summarizer = {
      id: "llm@1",
      summarize: async (request) => {
        requests.push(request);
        if (answer instanceof Error) throw answer;
        return { changes: [fact], ...answer };
      },
    };
    const fulfilment = {
      ...{ thread: own, shape, tokenizer: countingTokenizer(), config: compactionConfig(), summarizer, planVersion: 3 },
      ...{ records: NO_RECORDS, summaryMaxTokens: 900, ladder: [], artifactOf: () => undefined },
      onSummarizerFailure: (problem: string) => told.push(problem),
      onInstructionsUsed: () => told.push("used"),
      ...fields,
    } as unknown as Fulfilment;
    const proposal = {
      ...{ action: "summarize", strategy: "summarize", reason: "old", ordinals: [0, 1, 2, 3], absorbs: [], ...asked },
    } as unknown as Parameters<typeof summarizationRecord>[0];
    const record = await summarizationRecord(proposal, fulfilment);
    return { record, told, request: requests[0] as SummarizeRequest };
  }

  it("asks the summarizer with the main-branch messages, the overlap, the pins and a limit", async () => {
    const { request, record } = await summarized({}, {}, { overlap: [4] });
    expect(request.messages.map(({ id }) => id)).toEqual(["u0", "a1", "t1"]);
    expect(request.overlap?.map(({ id }) => id)).toEqual(["a2"]);
    expect(request.span.messageIds).toEqual(["u0", "side", "a1", "t1"]);
    expect([request.threadId, request.previous, request.pins]).toEqual([own.id, null, []]);
    expect(request.countTokens("12345")).toBe(2);
    expect(request.maxTokens).toBeLessThanOrEqual(900);
    expect(record).toMatchObject({ action: "summarize", summarizer: "llm@1", sincePlanVersion: 3, resolved: [] });
    expect(record.summary.facts).toMatchObject([{ text: "All is fine." }]);
    expect(record.summary.handling).toEqual({ trust: "external", sensitivity: "internal" });
    const { request: bare } = await summarized({});
    for (const name of ["overlap", "instructions", "signal"]) expect(bare).not.toHaveProperty(name);
  });

  it("passes the instructions on, and reports whether they were used", async () => {
    const signal = new AbortController().signal;
    const { request, told } = await summarized({}, { instructions: "the port", signal });
    expect([request.instructions, request.signal, told]).toEqual(["the port", signal, ["used"]]);
    expect((await summarized({ instructionsUnused: true })).told).toEqual([]);
    expect((await summarized({ changes: [] })).told).toEqual(["llm@1 gave no summary"]);
    expect((await summarized({ changes: [], nothingToSay: true })).told).toEqual([]);
  });

  it("falls back to the floor summary, and reports it unless there was nothing to say", async () => {
    for (const answer of [{ changes: [] }, { changes: [], nothingToSay: true as const }, new Error("no answer")]) {
      const { record } = await summarized(answer);
      expect(record.summarizer).toBe("floor@2");
      expect(record.summary.originalTask?.text).toBe("Go.");
      const isSilent = !(answer instanceof Error) && answer.nothingToSay === true;
      expect(record.summary.facts.map(({ text }) => text)).toEqual([
        isSilent ? "No details were kept." : "Turn 1 held 4 messages with 1 tool call, folded without a summarizer.",
      ]);
    }
    expect((await summarized(new Error("no answer"))).told).toEqual(["llm@1: no answer"]);
    const partial = await summarized({ problem: "cut off", by: "extractive@1" });
    expect([partial.told, partial.record.summarizer]).toEqual([["cut off", "used"], "extractive@1"]);
  });

  it.each<[string, Partial<SummarizeResult> | Error, string]>([
    ["failed", new Error("no answer"), "llm@1: no answer"],
    ["failed with an error of ours", new ThreadfoldError("SUMMARIZER_FAILED", "no model"), "no model"],
    ["reported a problem", { problem: "cut off" }, "cut off"],
    ["returned no changes", { changes: [] }, "llm@1 gave no summary"],
  ])("throws SUMMARIZER_FAILED with keepsOnFailure when the summarizer %s", async (_what, answer, problem) => {
    await expect(summarized(answer, { keepsOnFailure: true })).rejects.toThrow(
      expect.objectContaining({ code: "SUMMARIZER_FAILED", message: problem }),
    );
    await expect(summarized(answer)).resolves.toBeDefined();
  });

  it("throws the signal's reason when the fold is aborted meanwhile", async () => {
    const signal = AbortSignal.abort(new Error("given up"));
    await expect(summarized(new Error("no answer"), { signal })).rejects.toThrow("given up");
  });

  it("builds on absorbed summaries without their messages, and keeps their handling", async () => {
    const first = (await summarized({}, {}, { ordinals: [0, 2] })).record;
    const { request, record } = await summarized(
      { changes: [], nothingToSay: true },
      {},
      { ordinals: [0, 2, 3, 4], absorbs: [first] },
    );
    expect(request.previous).toEqual(first.summary);
    expect(request.messages.map(({ id }) => id)).toEqual(["t1", "a2"]);
    expect(record.summary.facts[0]?.text).toBe("All is fine.");
    const again = await summarized({ changes: [] }, {}, { ordinals: [0, 2], absorbs: [first] });
    expect([again.record.summarizer, again.told, again.record.summary.handling]).toEqual([
      "llm@1",
      [],
      first.summary.handling,
    ]);
  });
});
