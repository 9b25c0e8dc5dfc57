import { AgentThread } from "@threadfold/core";
import { call, result } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { capabilitiesOf, isSameModel } from "../input/model-capabilities.ts";
import type { RenderInput } from "../input/render-input.ts";
import { renderSample } from "../testing/render-sample.ts";
import {
  image,
  type MessageSpec,
  messagesOf,
  planWith,
  SAMPLE_THREAD_ID,
  signed,
  summaryOver,
  threadOf,
} from "../testing/sample-thread.ts";
import { isLossy } from "../warnings/render-warning.ts";

/** A thread whose assistant messages name the model that wrote them. */
const threadBy = (model: string, ...specs: readonly MessageSpec[]): AgentThread =>
  AgentThread.empty(SAMPLE_THREAD_ID).append(
    messagesOf(specs).map((message) => (message.role === "assistant" ? { ...message, model } : message)),
  );

describe("capabilitiesOf", () => {
  it.each([
    ["claude-opus-4-5", "anthropic", "none", true],
    ["claude-opus-4-8", "anthropic", "none", false],
    ["claude-opus-5", "anthropic", "none", false],
    ["claude-opus-5-20260801", "anthropic", "none", false],
    ["claude-opus-5-5", "anthropic", "prefix-bound", false],
    ["claude-fable-5.1", "anthropic", "prefix-bound", false],
    ["claude-haiku-6", "anthropic", "prefix-bound", false],
    ["anthropic/claude-sonnet-4.5", "anthropic", "last-turn", true],
    ["us.anthropic.claude-3-7-sonnet-20250219-v1:0", "anthropic", "last-turn", true],
    ["gpt-5.6", "openai", "none", false],
    ["models/gemini-3-pro", "google", "none", false],
    ["deepseek-v3.2", "deepseek", "none", true],
  ] as const)("%s belongs to %s, binds reasoning %s, prefill %s", (model, provider, reasoning, prefill) => {
    expect(capabilitiesOf(model)).toMatchObject({ provider, reasoning, prefill });
  });

  it("takes context window and cache minimum from core's tables, and the caller's own rows first", () => {
    expect(capabilitiesOf("claude-haiku-4-5")).toMatchObject({ contextWindow: 200_000, minimumCachedTokens: 4_096 });
    expect(
      capabilitiesOf("claude-opus-5-5", { "claude-opus-5-5": { reasoning: "none", contextWindow: 1_000_000 } }),
    ).toMatchObject({ provider: "anthropic", reasoning: "none", contextWindow: 1_000_000 });
    expect(capabilitiesOf("in-house-7b")).toBeNull();
    expect(capabilitiesOf("gpt-5.6")).toBe(capabilitiesOf("openai/gpt-5.6"));
  });

  it("matches a model's dated names and aliases, and tells different models apart", () => {
    expect(isSameModel("claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5")).toBe(true);
    for (const [asked, answered] of [
      ["claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"],
      ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929"],
      ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5-20250929"],
      ["claude-sonnet-4-0", "claude-sonnet-4-20250514"],
      ["gpt-5", "gpt-5-2025-08-07"],
    ] as const)
      expect([asked, isSameModel(asked, answered)]).toEqual([asked, true]);
    expect(isSameModel("claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20241022")).toBe(false);
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
  const manual = { thinking: { type: "enabled", budget_tokens: 2_000 } };
  const render = (
    thread: AgentThread,
    numbers: readonly number[],
    { seen = thread, ...options }: Partial<RenderInput> & { readonly seen?: AgentThread } = {},
  ) => {
    const plan = planWith(seen, summaryOver(seen, numbers));
    const sample = renderSample(thread, { plan, format: "anthropic-messages", tools, ...options });
    expect(sample.format.check(sample.payload, sample.manifest)).toEqual([]);
    expect(sample.format.check({ ...sample.payload, model: options.model, ...options.host })).toEqual([]);
    return sample;
  };

  it("W13 strips signed reasoning after an edit only for models that bind it to the prefix", () => {
    const thread = threadOf(...specs);
    expect(thinking(render(thread, [1, 2]))).toBe(0);
    expect(thinking(render(thread, [1, 2], { model: "claude-opus-5-5" }))).toBe(0);
    for (const model of ["claude-opus-4-6", "claude-sonnet-4-5"])
      expect(thinking(render(thread, [1, 2], { model }))).toBe(2);
  });

  it("W12 treats reasoning as unbound under a thinking budget, unless the model binds it anyway", () => {
    expect(thinking(render(threadOf(...specs), [1, 2], { host: manual }))).toBe(2);
    expect(thinking(render(threadOf(...specs), [1, 2], { host: { thinking: { type: "adaptive" } } }))).toBe(0);
    expect(thinking(render(threadOf(...specs), [1, 2], { host: manual, model: "claude-opus-5-5" }))).toBe(0);
  });

  const loop: readonly MessageSpec[] = [
    ["user", "go"],
    ["assistant", signed, call("a")],
    ["tool", result("a", "ok")],
    ["assistant", signed, call("b")],
    ["tool", result("b", "ok")],
    ["assistant", signed, call("c")],
    ["tool", result("c", "ok")],
  ];

  it("W12 keeps the reasoning of the steps that a fold leaves in an open tool loop", () => {
    for (const model of ["claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-5", "claude-opus-4-8"]) {
      const sample = render(threadOf(...loop), [2, 3], { model });
      expect([thinking(sample), sample.warnings.some(({ kind }) => kind === "reasoning-left-out")]).toEqual([2, false]);
    }
  });

  it("W12 opens a new turn for a step that follows a summary in the assistant role", () => {
    const { messages, warnings } = render(threadOf(...loop), [2, 3, 4, 5], { host: manual });
    expect(messages.map(({ role, content }) => [role, content[0].type])).toEqual([
      ["user", "text"],
      ["assistant", "text"],
      ["user", "text"],
      ["assistant", "thinking"],
      ["user", "tool_result"],
    ]);
    expect(warnings).toEqual([{ kind: "turn-opened", messageIds: ["m6"] }]);
    const told = render(threadOf(...loop), [2, 3, 4, 5], { host: manual, summaryRole: "user" });
    expect([told.messages.length, told.warnings]).toEqual([3, []]);
  });

  it("W13 keeps reasoning produced since the fold, because its prefix is the folded one", () => {
    const seen = threadOf(...loop.slice(0, 5));
    for (const model of [undefined, "claude-opus-5-5"]) {
      const sample = render(threadOf(...loop), [2, 3], { seen, ...(model !== undefined && { model }) });
      expect(sample.warnings).toContainEqual({
        kind: "reasoning-left-out",
        reason: "behind-an-edit",
        messageIds: ["m4"],
      });
      expect(sample.messages.at(-2)?.content[0].type).toBe("thinking");
    }
  });

  it("drops reasoning that another provider or model cannot take, and names its messages in a warning", () => {
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

  it("returns reasoning as text to open-model servers that expect it, and drops other providers' reasoning", () => {
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

  it("replaces pictures in tool results with a marker for models that do not accept them there", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "", { content: { type: "blocks", blocks: [image] } })],
    );
    const warning = { kind: "media-replaced", reason: "in-tool-result", messageIds: ["m3"] };
    expect(renderSample(thread, { format: "ai-sdk", model: "gemini-2.5-pro" }).warnings).toContainEqual(warning);
    expect(renderSample(thread, { format: "ai-sdk", model: "gemini-3-pro" }).warnings).toEqual([]);
    // Gemini refuses them before its third generation: a model that no row names may be one of those.
    for (const model of [undefined, "in-house-7b", "gemini-2.5-pro"]) {
      const sample = renderSample(thread, { format: "gemini", ...(model !== undefined && { model }) });
      expect(sample.warnings).toContainEqual(warning);
      expect(JSON.stringify(sample.payload)).not.toContain("inlineData");
    }
    const known = renderSample(thread, { format: "gemini", model: "models/gemini-3-pro" });
    expect(known.warnings).toEqual([]);
    expect(JSON.stringify(known.payload)).toContain("inlineData");
    expect(known.format.check(known.payload, { ...known.manifest, model: "gemini-2.5-pro" })).toMatchObject([
      { rule: "media-places" },
    ]);
  });

  it("W9 accepts a foreign request that ends on an assistant turn only if the model supports prefill", () => {
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
