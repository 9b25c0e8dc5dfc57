import { AgentThread } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { renderSample } from "../testing/render-sample.ts";
import {
  call,
  image,
  type MessageSpec,
  messagesOf,
  planWith,
  result,
  SAMPLE_THREAD_ID,
  signed,
  summaryOver,
  threadOf,
} from "../testing/sample-thread.ts";
import { isLossy } from "../warnings/render-warning.ts";
import { capabilitiesOf, isSameModel } from "./capabilities-of.ts";

/** A thread whose assistant messages name the model that wrote them. */
const threadBy = (model: string, ...specs: readonly MessageSpec[]): AgentThread =>
  AgentThread.empty(SAMPLE_THREAD_ID).append(
    messagesOf(specs).map((message) => (message.role === "assistant" ? { ...message, model } : message)),
  );

describe("capabilitiesOf", () => {
  it.each([
    ["claude-opus-4-6", "anthropic", "prefix-bound", false],
    ["anthropic/claude-sonnet-4.5", "anthropic", "last-turn", true],
    ["us.anthropic.claude-3-7-sonnet-20250219-v1:0", "anthropic", "last-turn", true],
    ["gpt-5.6", "openai", "none", false],
    ["models/gemini-3-pro", "google", "none", false],
    ["deepseek-v3.2", "deepseek", "none", true],
  ] as const)("%s is of %s, binds reasoning %s, prefill %s", (model, provider, reasoning, prefill) => {
    expect(capabilitiesOf(model)).toMatchObject({ provider, reasoning, prefill });
  });

  it("takes window and minimum from the tables of core, and rows of one's own first", () => {
    expect(capabilitiesOf("claude-haiku-4-5")).toMatchObject({ contextWindow: 200_000, minimumCachedTokens: 4_096 });
    expect(
      capabilitiesOf("claude-opus-4-6", { "claude-opus-4-6": { reasoning: "none", contextWindow: 1_000_000 } }),
    ).toMatchObject({ provider: "anthropic", reasoning: "none", contextWindow: 1_000_000 });
    expect(capabilitiesOf("in-house-7b")).toBeNull();
    expect(capabilitiesOf("gpt-5.6")).toBe(capabilitiesOf("openai/gpt-5.6"));
  });

  it("knows a model by its dated name", () => {
    expect(isSameModel("claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5")).toBe(true);
    expect(isSameModel("gpt-5", "gpt-5-mini")).toBe(false);
  });
});

describe("rendering for a model", () => {
  const specs: readonly MessageSpec[] = [
    ["user", "go"],
    ["assistant", "one"],
    ["user", "two"],
    ["assistant", signed, call("a")],
    ["tool", result("a", "ok")],
    ["user", "three"],
    ["assistant", signed, "four"],
    ["user", "five"],
  ];
  const tools = [{ name: "read", inputSchema: {} }];
  const thinking = (sample: ReturnType<typeof renderSample>) =>
    sample.messages.flatMap(({ content }) => content).filter(({ type }) => type === "thinking").length;
  const render = (model: string | undefined, thread: AgentThread, numbers: readonly number[]) => {
    const plan = planWith(thread, summaryOver(thread, numbers));
    const sample = renderSample(thread, { plan, format: "anthropic-messages", ...(model !== undefined && { model }) });
    expect(sample.format.check(sample.payload, sample.manifest)).toEqual([]);
    return sample;
  };

  it("W13 strips signed reasoning behind an edit where the model binds it to the prefix, and only there", () => {
    const thread = threadOf(...specs);
    expect(thinking(render(undefined, thread, [1, 2]))).toBe(0);
    expect(thinking(render("claude-opus-4-6", thread, [1, 2]))).toBe(0);
    expect(thinking(render("claude-sonnet-4-5", thread, [1, 2]))).toBe(2);
  });

  it("W12 strips a whole tool loop that holds an edit where the model binds reasoning to its loop", () => {
    const loop = threadOf(
      ["user", "go"],
      ["assistant", signed, call("a")],
      ["tool", result("a", "ok")],
      ["assistant", signed, call("b")],
      ["tool", result("b", "ok")],
      ["user", "on"],
      ["assistant", signed, "done"],
      ["user", "end"],
    );
    const sample = render("claude-sonnet-4-5", loop, [2, 3]);
    expect(thinking(sample)).toBe(1);
    expect(sample.warnings).toContainEqual({
      kind: "reasoning-left-out",
      reason: "behind-an-edit",
      messageIds: ["m4"],
    });
  });

  it("drops what cannot travel to another provider or model, with a warning that says which messages", () => {
    const thread = threadBy("claude-opus-4-6", ...specs);
    const same = renderSample(thread, { format: "anthropic-messages", model: "claude-opus-4-6-20260205", tools });
    expect([thinking(same), same.warnings]).toEqual([2, []]);
    const other = renderSample(thread, { format: "anthropic-messages", model: "claude-opus-5", tools });
    expect(thinking(other)).toBe(0);
    expect(other.warnings).toEqual([{ kind: "reasoning-left-out", reason: "other-model", messageIds: ["m4", "m7"] }]);
    const moved = renderSample(thread, { format: "ai-sdk", model: "gpt-5.6" });
    expect(moved.warnings).toEqual([
      { kind: "reasoning-left-out", reason: "other-provider", messageIds: ["m4", "m7"] },
    ]);
    expect(moved.warnings.every(isLossy)).toBe(true);
    const block = { type: "opaque", provider: "anthropic", value: { type: "compaction", content: "…" } } as const;
    const compacted = threadOf(["user", "go"], ["assistant", block, "so"], ["user", "on"]);
    expect(renderSample(compacted, { format: "openai-chat" }).warnings).toEqual([
      { kind: "opaque-left-out", reason: "other-provider", messageIds: ["m2"] },
    ]);
  });

  it("gives reasoning back as text to servers of open models that ask for it, and not that of others", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", { type: "reasoning", text: "hm", provider: "deepseek" }, call("a")],
      ["tool", result("a", "ok")],
      ["assistant", signed, "so"],
      ["user", "on"],
    );
    const { messages, warnings } = renderSample(thread, { format: "openai-chat", model: "deepseek-v3.2" });
    expect(messages[1]).toMatchObject({ role: "assistant", content: null, reasoning_content: "hm" });
    expect(messages[3]).toEqual({ role: "assistant", content: "so" });
    expect(warnings).toEqual([{ kind: "reasoning-left-out", reason: "other-provider", messageIds: ["m4"] }]);
    expect(renderSample(thread, { format: "openai-chat" }).messages[1]).not.toHaveProperty("reasoning_content");
  });

  it("puts a marker where a model's results hold no pictures", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "", { content: { type: "blocks", blocks: [image] } })],
    );
    const warning = { kind: "media-replaced", reason: "in-tool-result", messageIds: ["m3"] };
    expect(renderSample(thread, { format: "ai-sdk", model: "gemini-2.5-pro" }).warnings).toContainEqual(warning);
    expect(renderSample(thread, { format: "ai-sdk", model: "gemini-3-pro" }).warnings).toEqual([]);
  });

  it("W9 lets a foreign request end on an assistant turn where its model allows it", () => {
    const { format } = renderSample(threadOf(["user", "go"]), { format: "anthropic-messages" });
    const body = (model: string) => ({
      model,
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: "So" },
      ],
    });
    expect(format.check(body("claude-sonnet-4-5"))).toEqual([]);
    expect(format.check(body("claude-opus-4-6")).map(({ rule }) => rule)).toEqual(["W9"]);
  });
});
