import {
  type CompletionModel,
  modelCallError,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  spanOf,
} from "@threadfold/core";
import { scriptThread } from "@threadfold/strategies/laws";
import { modelSummarizer } from "@threadfold/summarizers";
import { describe, expect, it, vi } from "vitest";
import { factSummarizer, folded } from "../testing/run-fold.ts";
import {
  countFailure,
  countRest,
  limitedSummarizer,
  meteredSummarizer,
  NO_SUMMARIZER_FAILURES,
  SUMMARIZER_REST,
  type SummarizerFailures,
  summarizerAfter,
  waitedForOnce,
} from "./summarizer-failures.ts";

const after = (...problems: readonly (string | null)[]): readonly [SummarizerFailures, readonly boolean[]] => {
  let failures = NO_SUMMARIZER_FAILURES;
  const escalations = problems.map((problem) => {
    const counted = countFailure(failures, problem);
    failures = counted.failures;
    return counted.escalate;
  });
  return [failures, escalations];
};

describe("summarizer failures", () => {
  it("S18 the third in a row is escalated, once; success starts anew", () => {
    expect(after("a", "b", "c", "d")[1]).toEqual([false, false, true, false]);
    expect(after("a", "b", null, "c", "d", "e")[1]).toEqual([false, false, false, false, false, true]);
  });

  it("S33 after too many failures no model is called unless somebody asks; the fold still fits", async () => {
    let calls = 0;
    const model: Summarizer = {
      id: "llm@1",
      summarize: async (request) => {
        calls++;
        return factSummarizer.summarize(request);
      },
    };
    const [failures] = after("a", "b", "c");
    const thread = scriptThread("u1 a1 u2 a2 u3 a3 u4", 500);
    const fold = (requested: boolean) =>
      folded(thread, {
        config: { maxInputTokens: 2_000 },
        ports: { summarizer: summarizerAfter(failures, model, requested) },
      });
    expect((await fold(false)).tokens.after).toBeLessThan(2_000);
    expect(calls).toBe(0);
    await fold(true);
    expect(calls).toBeGreaterThan(0);
    expect(summarizerAfter(after("a", "b")[0], model, false)).toBe(model);
  });

  it("S33 after a rest it is asked once, and is left alone again when that fails", () => {
    let [failures] = after("a", "b", "c");
    const isAsked = (): boolean => summarizerAfter(failures, factSummarizer, false) === factSummarizer;
    for (let rest = 0; rest < SUMMARIZER_REST; rest++) {
      expect(isAsked()).toBe(false);
      failures = countRest(failures);
    }
    expect(isAsked()).toBe(true);
    ({ failures } = countFailure(failures, "d"));
    expect(isAsked()).toBe(false);
    ({ failures } = countFailure(failures, null));
    expect(isAsked()).toBe(true);
  });
});

describe("a fold's summarizer", () => {
  const request = {
    threadId: "t",
    span: { messageIds: [], firstTurn: 0, lastTurn: 0 },
    messages: [],
  } as unknown as SummarizeRequest;
  /** Answers, or fails, as the test says: with each call the next. */
  const saying = (...answers: readonly (Partial<SummarizeResult> | Error)[]): Summarizer & { calls: number } => ({
    ...{ id: "llm@1", identity: { model: "a" }, calls: 0 },
    async summarize() {
      const answer = answers[this.calls++ % answers.length];
      if (answer instanceof Error) throw answer;
      return { changes: [], ...answer };
    },
  });

  it("is metered: its calls, what they took as far as it says so, and how the newest ended", async () => {
    const usage = { inputTokens: 100, outputTokens: 7 };
    const model = saying(
      { usage },
      { usage: { ...usage, cacheReadTokens: 50 } },
      {},
      { problem: "cut off" },
      new TypeError("x"),
    );
    const { summarizer, of, cost, newest } = meteredSummarizer(model);
    expect([of, summarizer.id, summarizer.identity]).toEqual([model, "llm@1", { model: "a" }]);
    expect([cost(), newest()]).toEqual([{ summarizerCalls: 0, inputTokens: 0, outputTokens: 0 }, null]);
    await summarizer.summarize(request);
    expect([cost(), newest()]).toEqual([{ summarizerCalls: 1, ...usage }, { problem: null }]);
    await summarizer.summarize(request);
    await summarizer.summarize(request);
    expect(cost()).toEqual({ summarizerCalls: 3, inputTokens: 200, outputTokens: 14, cacheReadTokens: 50 });
    await summarizer.summarize(request);
    expect(newest()).toEqual({ problem: "cut off" });
    await expect(summarizer.summarize(request)).rejects.toThrow(TypeError);
    expect([newest(), cost().summarizerCalls]).toEqual([{ problem: "TypeError" }, 5]);
    const anonymous = meteredSummarizer({ id: "own@1", summarize: model.summarize });
    expect(anonymous.summarizer).not.toHaveProperty("identity");
  });

  it("is metered by its requests to a model where it reports them, also those that came to nothing", async () => {
    const usage = { inputTokens: 100, outputTokens: 7 };
    let failing = true;
    const model: Summarizer = {
      id: "llm@1",
      async summarize({ meter }) {
        for (let tries = 0; tries < 2; tries++) meter?.asked();
        meter?.answered(usage);
        if (failing) throw new Error("the answer was no summary");
        meter?.asked();
        return { changes: [], usage };
      },
    };
    const { summarizer, cost } = meteredSummarizer(model);
    await expect(summarizer.summarize(request)).rejects.toThrow("no summary");
    expect(cost()).toEqual({ summarizerCalls: 2, ...usage });
    failing = false;
    await summarizer.summarize(request);
    expect(cost()).toEqual({ summarizerCalls: 5, inputTokens: 200, outputTokens: 14 });
  });

  it("is billed with a real model's tries, repairs and refused answers, whatever the summary is made of in the end", async () => {
    const usage = { inputTokens: 100, outputTokens: 10 };
    const complete = vi
      .fn<CompletionModel["complete"]>()
      .mockRejectedValueOnce(modelCallError("busy", { kind: "rate-limited" }))
      .mockRejectedValueOnce(modelCallError("gone", { kind: "unavailable" }))
      .mockResolvedValue({ text: "No JSON.", finish: "stop", toolCalls: 0, usage });
    const settings = { minRetryDelayMs: 1, maxRetryDelayMs: 5 };
    const { summarizer, cost, newest } = meteredSummarizer(
      modelSummarizer({ model: { id: "flaky", complete }, promptVersion: "threadfold-v2", ...settings }),
    );
    const { messages } = scriptThread("u1 a1 u2 a2", 50);
    const countTokens = (text: string): number => Math.ceil(text.length / 4);
    const asked = { messages: [...messages], span: spanOf([...messages]), previous: null, pins: [] };
    await summarizer.summarize({ ...asked, countTokens, maxTokens: 1_000 });
    expect(newest()?.problem).toContain("not-json");
    expect(complete).toHaveBeenCalledTimes(4);
    expect(cost()).toEqual({ summarizerCalls: 4, inputTokens: 200, outputTokens: 20 });
  });

  it("adds up what was written to a cache, and says nothing of an aborted call", async () => {
    const used = (cacheWriteTokens: number) => ({ usage: { inputTokens: 1, outputTokens: 1, cacheWriteTokens } });
    const { summarizer, cost, newest } = meteredSummarizer(saying(used(30), used(12), new Error("gone")));
    await summarizer.summarize(request);
    await summarizer.summarize(request);
    expect(cost()).toEqual({ summarizerCalls: 2, inputTokens: 2, outputTokens: 2, cacheWriteTokens: 42 });
    await expect(summarizer.summarize({ ...request, signal: AbortSignal.abort() })).rejects.toThrow("gone");
    expect(newest()).toBeNull();
  });

  it("is asked no more in this fold once it has failed for as long as one waits", async () => {
    const standIn = saying({ by: "stand-in@1" });
    const ask = async (milliseconds: number, ...answers: readonly (Partial<SummarizeResult> | Error)[]) => {
      const model = saying(...answers);
      const waited = waitedForOnce(model, standIn, milliseconds);
      expect([waited.id, waited.identity]).toEqual(["llm@1", { model: "a" }]);
      const first = await waited.summarize(request).catch(() => null);
      return { first, second: await waited.summarize(request).catch(() => null), calls: model.calls };
    };
    // No time at all to wait: the stand-in has the whole fold.
    expect(await ask(0, {})).toMatchObject({ calls: 0, first: { by: "stand-in@1", problem: "llm@1 failed" } });
    // However long a success takes, it takes nothing off the time for failures.
    expect(await ask(1e-9, {})).toMatchObject({ calls: 2 });
    expect(await ask(1e-9, new Error("no answer"))).toMatchObject({
      ...{ calls: 1, first: null },
      second: { by: "stand-in@1", problem: "llm@1: no answer" },
    });
    expect(await ask(1e-9, { problem: "cut off" })).toMatchObject({ calls: 1, second: { problem: "cut off" } });
    expect(await ask(1e9, new Error("no answer"))).toMatchObject({ calls: 2, second: null });
  });

  it("is waited for no longer than its limit, and not after the fold was given up", async () => {
    const slow: Summarizer = {
      id: "llm@1",
      summarize: ({ signal }) =>
        new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true })),
    };
    await expect(limitedSummarizer(slow, 1).summarize(request)).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringContaining("llm@1"),
        hint: expect.stringContaining("summaryTimeLimitMs"),
      }),
    );
    const given = limitedSummarizer(slow).summarize({ ...request, signal: AbortSignal.abort(new Error("given up")) });
    await expect(given).rejects.toThrow("given up");
    const asked: SummarizeRequest[] = [];
    const hears: Summarizer = { id: "llm@1", summarize: async (heard) => (asked.push(heard), { changes: [] }) };
    await limitedSummarizer(hears).summarize(request);
    expect(asked).toEqual([{ ...request, signal: expect.any(AbortSignal) }]);
    const named = limitedSummarizer(saying({ by: "b" }));
    expect([named.id, named.identity, (await named.summarize(request)).by]).toEqual(["llm@1", { model: "a" }, "b"]);
    expect(limitedSummarizer(slow)).not.toHaveProperty("identity");
  });
});
