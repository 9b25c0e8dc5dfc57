import { type CompactionPlan, emptyPlan, type Summarizer } from "@threadfold/core";
import { countingTokenizer } from "@threadfold/core/laws";
import {
  type CompactionStrategy,
  recursiveSummarization,
  shownMessageCountTrigger,
  slidingWindow,
  springSessionPreset,
  tokenCountWindow,
  turnWindow,
} from "@threadfold/strategies";
import { type ScriptTokens, scriptThread, shownIn } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { type CompactionResult, compactionResult } from "../commit/compaction-result.ts";
import { shownMessages, shownTurns } from "../decide/trigger.ts";
import { threadState } from "../measure/thread-state.ts";
import { factSummarizer, folded, runFold } from "../testing/run-fold.ts";
import { triggerLevel } from "../testing/turn-case.ts";

const { countMessage } = countingTokenizer();

/** What seed 004's `service.compact(id, req -> true, strategy)` gives. */
async function compact(
  script: string,
  strategy: CompactionStrategy,
  options: { readonly tokens?: ScriptTokens; readonly plan?: CompactionPlan; readonly summarizer?: Summarizer } = {},
): Promise<CompactionResult & { readonly plan: CompactionPlan; readonly shown: readonly string[] }> {
  const thread = scriptThread(script, options.tokens);
  const before = options.plan ?? emptyPlan(thread.id, "test");
  const { plan } = await folded(thread, {
    preset: { ...springSessionPreset, ladder: [strategy] },
    plan: before,
    ports: { summarizer: options.summarizer ?? factSummarizer },
  });
  return { ...compactionResult(thread, before, plan, countMessage), plan, shown: shownIn(thread, plan) };
}
const idsOf = ({ archivedEvents }: CompactionResult) => archivedEvents.map((message) => message.id);
const turns = (count: number): string =>
  Array.from({ length: count }, (_, turn) => `u${turn + 1} a${turn + 1}`).join(" ");

describe("seed 004, Spring AI Session: triggers", () => {
  it("spring-7 spring-10 fire above 20 turns or from 4 000 tokens on", () => {
    expect(triggerLevel(springSessionPreset, 100_000, { turns: 20, tokens: 3_999 })).toBe("none");
    expect(triggerLevel(springSessionPreset, 100_000, { turns: 21, tokens: 3_999 })).toBe("soft");
    expect(triggerLevel(springSessionPreset, 100_000, { turns: 1, tokens: 4_000 })).toBe("soft");
  });

  it("spring-7 do not count archived turns", async () => {
    const { plan } = await compact(turns(21), slidingWindow({ maxEvents: 10 }));
    expect(
      shownTurns(
        21,
        plan,
        threadState(scriptThread(turns(21)), countingTokenizer(), () => "anchoring"),
      ),
    ).toBe(5);
    expect(triggerLevel(springSessionPreset, 100_000, { turns: 21, shownTurns: 5 })).toBe("none");
  });
});

describe("seed 004, Spring AI Session: strategies and their result", () => {
  it("spring-11 entry point: of 21 turns the last 10 events stay", async () => {
    const result = await compact(turns(21), slidingWindow({ maxEvents: 10 }));
    expect(result.eventsRemoved).toBe(32);
    expect(result.archivedEvents).toHaveLength(32);
    expect(result.compactedEvents).toHaveLength(10);
    expect(result.tokensEstimatedSaved).toBe(32 * 50);
  });

  it("spring-12 turn-boundary safety: the cut on a3 in the middle of turn 2 moves to u3", async () => {
    const result = await compact("u1 a1 u2 a2 a3 u3 a3", slidingWindow({ maxEvents: 3 }));
    expect(idsOf(result)).toEqual(["u1", "a1", "u2", "a2", "a3"]);
    expect(result.shown).toEqual(["u3", "a3.2"]);
  });

  it("S23 spring-13 the turn window keeps the preamble and the last turns, whole", async () => {
    const result = await compact("s0 a0 u1 a1 t1 a1 u2 a2 u3 a3", turnWindow({ maxTurns: 2 }));
    expect(result.shown).toEqual(["s0", "a0", "u2", "a2", "u3", "a3"]);
    expect(idsOf(result)).toEqual(["u1", "a1", "t1", "a1.2"]);
  });

  it("S22 spring-15 the token window keeps an unbroken suffix that begins at a user message", async () => {
    const tokens = (id: string) => (id === "a2" ? 3_000 : 500);
    const result = await compact("u1 a1 u2 a2 u3 a3", tokenCountWindow({ maxTokens: 1_800 }), { tokens });
    expect(result.shown).toEqual(["u3", "a3"]);
  });

  it("S8 keeps the newest group even when it alone exceeds the window", async () => {
    const tokens = (id: string) => (id === "u3" ? 9_000 : 500);
    const result = await compact("u1 a1 u2 a2 u3", tokenCountWindow({ maxTokens: 4_000 }), { tokens });
    expect(result.shown).toEqual(["u3"]);
  });

  it("spring-6 no-op results say that nothing was removed", async () => {
    const thread = scriptThread("u1 a1 u2 a2");
    const preset = { ...springSessionPreset, ladder: [slidingWindow({ maxEvents: 20 })] };
    expect(await runFold(thread, { preset }).result).toMatchObject({ type: "no-op" });
    const plan = emptyPlan(thread.id, "test");
    expect(compactionResult(thread, plan, plan, countMessage)).toMatchObject({
      eventsRemoved: 0,
      tokensEstimatedSaved: 0,
      archivedEvents: [],
    });
  });

  it("S24 spring-19 refuses an overlap that is not smaller than the window; one less is accepted", () => {
    for (const overlapSize of [10, 11, -1, 0.5]) {
      expect(() => recursiveSummarization({ maxEventsToKeep: 10, overlapSize })).toThrow(
        expect.objectContaining({ code: "INVALID_CONFIG" }),
      );
    }
    expect(recursiveSummarization({ maxEventsToKeep: 10, overlapSize: 9 }).name).toBe("recursive-summarization");
    expect(() => recursiveSummarization({ maxEventsToKeep: 2 })).toThrow();
  });
});

describe("seed 004, Spring AI Session: recursive summarization", () => {
  const strategy = recursiveSummarization({ maxEventsToKeep: 10, overlapSize: 2 });
  const seen: { messages: readonly string[]; overlap: readonly string[]; previous: number | null }[] = [];
  const summarizer: Summarizer = {
    id: "llm@1",
    summarize: async (request) => {
      seen.push({
        messages: request.messages.map((message) => message.id),
        overlap: (request.overlap ?? []).map((message) => message.id),
        previous: request.previous?.round ?? null,
      });
      return factSummarizer.summarize(request);
    },
  };

  it("S21 spring-16 spring-24 feeds prior summary, archived events and overlap, archives only new events, and puts one synthetic turn in front", async () => {
    const first = await compact(turns(10), strategy, { summarizer });
    expect(seen).toEqual([
      {
        messages: ["u1", "a1", "u2", "a2", "u3", "a3", "u4", "a4", "u5", "a5"],
        overlap: ["u6", "a6"],
        previous: null,
      },
    ]);
    expect(first.compactedEvents.slice(0, 2).map((event) => event.synthetic && event.role)).toEqual([
      "user",
      "assistant",
    ]);
    expect(first.compactedEvents).toHaveLength(12);
    expect(first.eventsRemoved).toBe(10);

    const second = await compact(turns(12), strategy, { summarizer, plan: first.plan });
    expect(seen[1]).toEqual({ messages: ["u6", "a6", "u7", "a7"], overlap: ["u8", "a8"], previous: 1 });
    expect(idsOf(second)).toEqual(["u6", "a6", "u7", "a7"]);
    expect(second.compactedEvents.filter((event) => event.synthetic)).toHaveLength(2);
    expect(second.plan.summarizations[0]?.summary.facts).toHaveLength(2);
  });

  it("spring-11 a window without a summarizer preserves the synthetic turn and does not count it", async () => {
    const first = await compact(turns(10), strategy);
    const second = await compact(turns(12), slidingWindow({ maxEvents: 4 }), { plan: first.plan });
    expect(second.shown).toEqual(["[summary]", "u11", "a11", "u12", "a12"]);
    expect(second.compactedEvents[0]).toMatchObject({ synthetic: true, role: "user" });
    expect(idsOf(second)).toEqual(["u6", "a6", "u7", "a7", "u8", "a8", "u9", "a9", "u10", "a10"]);
  });

  it("spring-15 subtracts the synthetic turn from the token budget first", async () => {
    const first = await compact(turns(10), strategy);
    const summary = first.plan.summarizations[0]?.summaryTokens ?? 0;
    const room = (maxTokens: number) =>
      compact(turns(12), tokenCountWindow({ maxTokens }), { plan: first.plan }).then(({ shown }) => shown.slice(1));
    expect(await room(200 + summary)).toEqual(["u11", "a11", "u12", "a12"]);
    expect(await room(199 + summary)).toEqual(["u12", "a12"]);
  });

  it("S18 a failing summarizer: the seed leaves the history unchanged, here a summary without a model is used and said (P6)", async () => {
    const thread = scriptThread(turns(20), 200);
    const broken: Summarizer = { id: "llm@1", summarize: () => Promise.reject(new Error("down")) };
    const preset = { ...springSessionPreset, ladder: [strategy] };
    const result = await folded(thread, { preset, ports: { summarizer: broken } });
    expect(result.summarizerProblem).toBe("llm@1: down");
    expect(result.plan.summarizations[0]?.summarizer).toBe("floor@2");
  });
});

it("shownMessages counts no folded message, and each summary as one", async () => {
  const thread = scriptThread(Array.from({ length: 12 }, (_, turn) => `u${turn} a${turn}`).join(" "));
  const before = emptyPlan(thread.id, "test");
  expect(shownMessages(thread.length, before)).toBe(24);
  const { plan } = await folded(thread, {
    preset: { ...springSessionPreset, ladder: [slidingWindow({ maxEvents: 6 })] },
    plan: before,
    ports: { summarizer: factSummarizer },
  });
  const removed = [...plan.summarizations, ...plan.drops].flatMap(({ span }) => span.messageIds);
  const shown = shownMessages(thread.length, plan);
  expect(removed.length).toBeGreaterThan(10);
  expect(shown).toBe(24 - removed.length + plan.summarizations.length);
  const input = { tokens: 1, roomTokens: 100, turns: 12, steps: 12, messages: thread.length };
  const trigger = shownMessageCountTrigger(shown);
  expect(trigger.evaluate({ ...input, shownMessages: shown }).level).toBe("none");
  expect(trigger.evaluate({ ...input, shownMessages: shown + 1 }).level).toBe("soft");
  expect(trigger.evaluate(input).level).toBe("soft");
});
