import { asMessageId, asPinId } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { describeNativeDifference, type NativeDifference, providerCompaction } from "./native-edits.ts";

const one = [asMessageId("m1")];
const two = [asMessageId("m1"), asMessageId("m2")];
const left = (reason: Extract<NativeDifference, { kind: "left-to-rendering" }>["reason"]): NativeDifference => ({
  ...{ kind: "left-to-rendering", action: "drop", messageIds: one },
  reason,
});

describe("describeNativeDifference", () => {
  it.each<[NativeDifference, string]>([
    [left("no-such-edit"), "drop of 1 message is left to rendering: the provider has no such edit"],
    [left("not-asked-for"), "drop of 1 message is left to rendering: the edit was not requested"],
    [left("keeps-head-and-tail"), "drop of 1 message is left to rendering: the provider clears whole bodies"],
    [
      left("something-older-stays"),
      "drop of 1 message is left to rendering: the provider edits the oldest first, and something older stays",
    ],
    [
      left("inputs-of-some-calls"),
      "drop of 1 message is left to rendering: the provider clears the inputs of all cleared calls or of none",
    ],
    [
      left("thinking-by-turn"),
      "drop of 1 message is left to rendering: the provider clears thinking only for whole older turns",
    ],
    [{ kind: "cleared-too", messageIds: two }, "results in 2 messages are cleared too, though the plan keeps them"],
    [
      { kind: "key-data-lost", messageIds: one },
      "the placeholder for 1 message shows none of the key data that the plan keeps",
    ],
    [{ kind: "summary-by-provider", messageIds: two }, "the provider writes its own summary of 2 messages"],
    [{ kind: "summarized-too", messageIds: two }, "2 messages that the plan keeps are summarized too"],
    [
      { kind: "pins-at-risk", told: true, pinIds: [asPinId("p")] },
      "1 pins may be lost in the provider's summary, though it is told to keep them",
    ],
    [{ kind: "pins-at-risk", told: false, pinIds: [asPinId("p")] }, "1 pins may be lost in the provider's summary"],
    [{ kind: "not-due", tokens: 1, threshold: 2 }, "the prompt has 1 tokens; the provider compacts above 2"],
    [
      { kind: "threshold-raised", asked: 1, threshold: 2 },
      "the provider does not compact below 2 tokens; 1 were requested",
    ],
    [
      { kind: "edited-out-of-sight" },
      "the provider makes the final prompt, so counts and recorded requests show it before the provider's edits",
    ],
  ])("%o", (difference, words) => {
    expect(describeNativeDifference(difference)).toBe(words);
  });
});

describe("native compaction by a provider", () => {
  it("is null for formats whose provider has none", () => {
    for (const format of ["openai-chat", "gemini", "neutral", "toString"])
      expect(providerCompaction(format)).toBeNull();
  });

  it("takes a threshold or a direct call, in the form that Anthropic accepts", () => {
    const anthropic = providerCompaction("anthropic-messages");
    expect(anthropic?.leastTokens).toBe(50_000);
    expect(anthropic?.fields(60_000)).toEqual({
      context_management: {
        edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 60_000 } }],
      },
    });
    expect(anthropic?.call({ messages: [], max_tokens: 1 })).toEqual({
      path: "v1/messages",
      payload: { messages: [], max_tokens: 1, compaction: { type: "summarize" } },
      betas: ["compact-2026-09-04"],
    });
  });

  it("requests only the Anthropic betas that the blocks of a request need", () => {
    const betas = (...blocks: readonly object[]) =>
      providerCompaction("anthropic-messages")?.betas({
        messages: [
          { role: "user", content: "text" },
          { role: "user", content: [{ type: "text" }, ...blocks] },
        ] as never,
      });
    expect(betas()).toEqual([]);
    expect(betas({ type: "compaction" })).toEqual(["compact-2026-01-12"]);
    expect(betas({ type: "compaction", signature: "c2ln" })).toEqual(["compact-2026-09-04"]);
    expect(betas({ type: "compaction" }, { type: "compaction", signature: "c2ln" })).toEqual([
      "compact-2026-01-12",
      "compact-2026-09-04",
    ]);
    expect(providerCompaction("anthropic-messages")?.betas({ messages: [null], context_management: {} })).toEqual([
      "compact-2026-01-12",
    ]);
    expect(providerCompaction("anthropic-messages")?.betas({ messages: [{ content: [null] }] })).toEqual([]);
  });

  it("takes the form that OpenAI accepts, without a beta", () => {
    const openai = providerCompaction("openai-responses");
    expect(openai?.leastTokens).toBe(1);
    expect(openai?.fields(100)).toEqual({ context_management: [{ type: "compaction", compact_threshold: 100 }] });
    expect(openai?.call({ input: [1], instructions: "be kind", tools: [] })).toEqual({
      path: "responses/compact",
      payload: { input: [1], instructions: "be kind" },
      betas: [],
    });
    expect(openai?.call({})).toEqual({ path: "responses/compact", payload: { input: [] }, betas: [] });
    expect(openai?.betas({ input: [{ type: "compaction" }] })).toEqual([]);
  });
});
