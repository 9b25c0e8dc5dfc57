import { compactionConfig } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { type SummarizationPolicy, summarizationPolicy } from "./summarization-policy.ts";

const CAP = 10_000;

/** Whether the policy folds a prompt of so many tokens and messages. */
function folds(trigger: SummarizationPolicy["trigger"], tokens: number, shownMessages: number): boolean {
  const preset = summarizationPolicy(trigger === undefined ? {} : { trigger });
  const config = compactionConfig({ ...preset.config, maxInputTokens: CAP });
  const input = { tokens, shownMessages, messages: 1_000, roomTokens: CAP, turns: 1, steps: 1 };
  return preset.trigger(config).evaluate(input).level !== "none";
}

describe("summarizationPolicy", () => {
  it("fires when all conditions of one object hold", () => {
    const both = { tokens: 5_000, messages: 3 };
    expect([folds(both, 5_000, 3), folds(both, 4_999, 3), folds(both, 5_000, 2)]).toEqual([true, false, false]);
  });

  it("fires when one entry of a list holds", () => {
    const either = [{ tokens: 5_000, messages: 3 }, { fraction: 0.9 }, { messages: 50 }];
    expect([folds(either, 9_000, 1), folds(either, 10, 50), folds(either, 8_999, 2)]).toEqual([true, true, false]);
  });

  it("fires above the cap whatever the trigger says", () => {
    expect([folds([], CAP, 5), folds([], CAP + 1, 5), folds({ messages: 900 }, CAP + 1, 5)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("uses Threadfold's own trigger by default", () => {
    expect([folds(undefined, 8_400, 5), folds(undefined, 8_600, 5)]).toEqual([false, true]);
  });

  it.each([
    [{ trigger: {} }, "at least one"],
    [{ trigger: { fraction: 1.5 } }, "trigger"],
    [{ trigger: [{ messages: 0 }] }, "trigger"],
    [{ keep: { messages: 3, tokens: 5 } }, "keep"],
    [{ keep: {} }, "keep"],
  ])("rejects %j", (policy, words) => {
    const refused = expect(() => summarizationPolicy(policy as SummarizationPolicy));
    refused.toThrow(expect.objectContaining({ code: "INVALID_CONFIG", message: expect.stringContaining(words) }));
  });
});
