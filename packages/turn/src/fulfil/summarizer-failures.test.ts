import type { Summarizer } from "@threadfold/core";
import { scriptThread } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { factSummarizer, folded } from "../testing/run-fold.ts";
import {
  countFailure,
  countRest,
  NO_SUMMARIZER_FAILURES,
  SUMMARIZER_REST,
  type SummarizerFailures,
  summarizerAfter,
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
