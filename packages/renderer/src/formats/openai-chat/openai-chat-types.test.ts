import { call, result } from "@threadfold/core/laws";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { renderSample } from "../../testing/render-sample.ts";
import { planWith, recordOver, threadOf } from "../../testing/sample-thread.ts";
import { openaiChat } from "./format.ts";

type Body = Pick<OpenAI.ChatCompletionCreateParams, "messages" | "tools">;

const breakpoint = { openai: { prompt_cache_breakpoint: { mode: "explicit" } } } as const;
const freeText = {
  type: "tool-call",
  callId: "c" as ReturnType<typeof call> extends { callId: infer Id } ? Id : never,
  toolName: "patch",
  input: "*** Begin",
  providerMetadata: { openai: { custom: { name: "patch", input: "*** Begin" } } },
} as const;

describe("payloads in the openai-chat format", () => {
  it("have the SDK's types, part by part", () => {
    const body: Body = {
      tools: [
        {
          type: "function",
          function: {
            name: "read",
            description: "Reads.",
            parameters: { type: "object", properties: {} },
            strict: true,
          },
        },
      ],
      messages: [
        { role: "system", content: "be brief" },
        {
          role: "user",
          content: [
            { type: "text", text: "see", prompt_cache_breakpoint: { mode: "explicit" } },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==", detail: "low" } },
            { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
            { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" } },
          ],
        },
        {
          role: "assistant",
          content: "I read.",
          tool_calls: [
            { id: "a", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } },
            { id: "c", type: "custom", custom: { name: "patch", input: "*** Begin" } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "ok" },
        { role: "tool", tool_call_id: "c", content: "done" },
        { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
        { role: "assistant", content: "But this.", refusal: "Not that." },
        { role: "user", content: "on" },
      ],
    };
    const refusal = (text: string) =>
      ({ type: "text", text, providerMetadata: { openai: { refusal: true } } }) as const;
    const bytes = (mediaType: string) => ({ kind: "base64", mediaType, data: "AA==" }) as const;
    const thread = threadOf(
      [
        "user",
        { type: "text", text: "see", providerMetadata: breakpoint },
        { type: "image", source: bytes("image/png"), providerMetadata: { openai: { detail: "low" } } },
        { type: "file", source: bytes("audio/wav") },
        { type: "file", source: bytes("application/pdf"), name: "a.pdf" },
      ],
      ["assistant", "I read.", call("a"), freeText as never],
      ["tool", result("a", "ok")],
      ["tool", result("c", "done", { toolName: "patch" })],
      ["assistant", refusal("No.")],
      ["assistant", refusal("Not that."), "But this."],
      ["user", "on"],
    );
    const tools = [
      {
        name: "read",
        description: "Reads.",
        inputSchema: { type: "object" },
        providerMetadata: { openai: { strict: true } },
      },
    ];
    expect(renderSample(thread, { format: "openai-chat", system: ["be brief"], tools }).payload).toEqual(body);
  });

  it("W19 keep a free-text call free text when its input was cleared", () => {
    const long = { ...freeText, input: "x".repeat(900) };
    const thread = threadOf(["user", "go"], ["assistant", long as never], ["tool", result("c", "done")]);
    const plan = planWith(thread, {
      ...recordOver(thread, 2),
      action: "clear",
      targets: ["tool-input"],
      preservedFields: {},
    });
    const { messages, payload } = renderSample(thread, { plan, format: "openai-chat" });
    expect(messages[1].tool_calls).toEqual([
      { id: "c", type: "custom", custom: { name: "patch", input: "[cleared: 900 characters]" } },
    ]);
    expect(openaiChat.check(payload)).toEqual([]);
  });

  it("W12 W13 W17 W18 are legal with reasoning text, any number of breakpoints and any order of user parts", () => {
    const marked = { type: "text", text: "x", prompt_cache_breakpoint: { mode: "explicit" } };
    const body = {
      messages: [
        { role: "user", content: [marked, marked, marked, marked, marked] },
        { role: "assistant", content: "so", reasoning_content: "hm" },
        { role: "user", content: "on" },
      ],
    };
    expect(openaiChat.check(body)).toEqual([]);
    const thread = threadOf(
      ["user", "go"],
      ["assistant", { type: "reasoning", text: "hm", signature: "c2ln" }, "so"],
      ["user", "on"],
    );
    expect(JSON.stringify(renderSample(thread, { format: "openai-chat" }).payload)).not.toContain("hm");
  });
});
