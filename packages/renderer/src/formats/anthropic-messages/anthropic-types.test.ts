import type Anthropic from "@anthropic-ai/sdk";
import { call, result } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { renderSample } from "../../testing/render-sample.ts";
import { signed, threadOf } from "../../testing/sample-thread.ts";

type Body = Omit<Anthropic.MessageCreateParams, "model" | "max_tokens">;

const cached = { anthropic: { cache_control: { type: "ephemeral" } } } as const;
const picture = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } } as const;

describe("payloads in the anthropic-messages format", () => {
  it("have the SDK's types, part by part", () => {
    const body: Body = {
      system: [{ type: "text", text: "be brief" }],
      tools: [
        { name: "read", description: "Reads.", input_schema: { type: "object" }, cache_control: { type: "ephemeral" } },
        { type: "web_search_20250305", name: "web_search", max_uses: 3 },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "see", cache_control: { type: "ephemeral" } },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
            {
              type: "document",
              source: { type: "url", url: "https://example.com/a.pdf" },
              title: "a.pdf",
              citations: { enabled: true },
            },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "c2ln" },
            { type: "redacted_thinking", data: "ZGF0YQ==" },
            { type: "text", text: "I read." },
            { type: "tool_use", id: "a", name: "read", input: { path: "a.ts" }, caller: { type: "direct" } },
            { type: "tool_use", id: "b", name: "read", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "a",
              content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }],
              cache_control: { type: "ephemeral" },
            },
            { type: "tool_result", tool_use_id: "b", content: "no such file", is_error: true },
          ],
        },
      ],
    };
    const thread = threadOf(
      [
        "user",
        { type: "text", text: "see", providerMetadata: cached },
        picture,
        {
          type: "file",
          source: { kind: "url", url: "https://example.com/a.pdf" },
          name: "a.pdf",
          providerMetadata: { anthropic: { citations: { enabled: true } } },
        },
      ],
      [
        "assistant",
        signed,
        { type: "reasoning", text: "", provider: "anthropic", encrypted: "ZGF0YQ==" },
        "I read.",
        { ...call("a"), providerMetadata: { anthropic: { caller: { type: "direct" } } } } as ReturnType<typeof call>,
        call("b", "read", {}),
      ],
      [
        "tool",
        {
          ...result("a", "", { content: { type: "blocks", blocks: [picture] } }),
          providerMetadata: cached,
        } as ReturnType<typeof result>,
      ],
      ["tool", result("b", "no such file", { outcome: "failure" })],
    );
    const tools = [
      { name: "read", description: "Reads.", inputSchema: { type: "object" }, providerMetadata: cached },
      {
        name: "web_search",
        inputSchema: { type: "object" },
        providerMetadata: { anthropic: { type: "web_search_20250305", max_uses: 3 } },
      },
    ];
    expect(renderSample(thread, { format: "anthropic-messages", system: ["be brief"], tools }).payload).toEqual(body);
  });

  it("omit fields that the API would reject: misspelled ones and those of other providers", () => {
    const thread = threadOf([
      "user",
      {
        type: "text",
        text: "go",
        providerMetadata: { anthropic: { cacheControl: { type: "ephemeral" } }, openai: { itemId: "msg_1" } },
      },
    ]);
    expect(renderSample(thread, { format: "anthropic-messages" }).messages).toEqual([
      { role: "user", content: [{ type: "text", text: "go" }] },
    ]);
  });

  it("carry a server-side compaction byte for byte, with the beta's types", () => {
    const block: Anthropic.Beta.BetaCompactionBlockParam = {
      type: "compaction",
      content: "What was.",
      encrypted_content: "b64==",
    };
    const thread = threadOf(
      ["assistant", { type: "opaque", provider: "anthropic", value: { ...block } as never }, "On."],
      ["user", "go on"],
    );
    const { messages, warnings } = renderSample(thread, { format: "anthropic-messages" });
    expect(messages[0]).toEqual({ role: "assistant", content: [block, { type: "text", text: "On." }] });
    expect(warnings).toEqual([]);
    const empty = threadOf(
      ["user", "go"],
      ["assistant", { type: "opaque", provider: "anthropic", value: { type: "compaction", content: "" } }, "On."],
      ["user", "go on"],
    );
    expect(renderSample(empty, { format: "anthropic-messages" }).warnings).toEqual([
      { kind: "opaque-left-out", reason: "malformed", messageIds: ["m2"] },
    ]);
  });
});
