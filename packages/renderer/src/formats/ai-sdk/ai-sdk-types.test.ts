import { call, result, runs } from "@threadfold/core/laws";
import { type ModelMessage, modelMessageSchema, type SystemModelMessage } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderInputs } from "../../laws/render-inputs.ts";
import { renderRequest } from "../../rendering/render-request.ts";
import { goldenInput } from "../../testing/golden-input.ts";
import { renderSample } from "../../testing/render-sample.ts";
import { image, threadOf } from "../../testing/sample-thread.ts";
import { aiSdk } from "./format.ts";

/** The SDK's own judgement of each message: its position and problem. */
function refusals(payload: { readonly messages?: unknown }): readonly unknown[] {
  return (payload.messages as readonly unknown[]).flatMap((message, index) => {
    const parsed = modelMessageSchema.safeParse(message);
    return parsed.success ? [] : [{ index, message, problem: parsed.error.message }];
  });
}

describe("prompts in the ai-sdk format", () => {
  it("pass the SDK's own schema for any thread", () => {
    fc.assert(
      fc.property(renderInputs, (input) => {
        expect(refusals(aiSdk.lower(renderRequest(input, aiSdk).request).payload)).toEqual([]);
      }),
      runs(100),
    );
    expect(refusals(aiSdk.lower(renderRequest(goldenInput, aiSdk).request).payload)).toEqual([]);
  });

  it("have the SDK's types", () => {
    const instructions: SystemModelMessage[] = [{ role: "system", content: "be brief" }];
    const messages: ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "see" },
          { type: "file", data: "AA==", mediaType: "image/png", filename: "a.png" },
          { type: "file", data: "https://example.com/a.pdf", mediaType: "application/pdf" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "c2ln" } } },
          { type: "text", text: "I read." },
          { type: "tool-call", toolCallId: "a", toolName: "read", input: { path: "a.ts" } },
          { type: "tool-call", toolCallId: "b", toolName: "read", input: {} },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "a",
            toolName: "read",
            output: {
              type: "content",
              value: [
                { type: "text", text: "a picture" },
                { type: "image-data", data: "AA==", mediaType: "image/png" },
              ],
            },
          },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "b",
            toolName: "read",
            output: { type: "error-text", value: "no such file" },
          },
        ],
      },
    ];
    const picture = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } } as const;
    const thread = threadOf(
      [
        "user",
        "see",
        { ...picture, name: "a.png" },
        { type: "file", source: { kind: "url", url: "https://example.com/a.pdf" } },
      ],
      [
        "assistant",
        { type: "reasoning", text: "hm", provider: "anthropic", signature: "c2ln" },
        "I read.",
        call("a"),
        call("b", "read", {}),
      ],
      [
        "tool",
        result("a", "", { content: { type: "blocks", blocks: [{ type: "text", text: "a picture" }, picture] } }),
      ],
      ["tool", result("b", "no such file", { outcome: "failure" })],
    );
    const { payload } = renderSample(thread, { format: "ai-sdk", system: ["be brief"] });
    expect(payload).toEqual({ instructions, messages });
  });

  it("say that a result with a picture failed, in text as the SDK has it, and show the picture behind the results", () => {
    const blocks = [{ type: "text", text: "It crashed:" }, image] as const;
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a"), call("b")],
      ["tool", result("a", "", { outcome: "failure", content: { type: "blocks", blocks } })],
      ["tool", result("b", "ok")],
    );
    const { messages, payload, warnings, format, manifest } = renderSample(thread, { format: "ai-sdk" });
    expect(messages[2].content[0].output).toEqual({
      type: "error-text",
      value: "It crashed:\n[image below the results: image/png, a.png]",
    });
    expect(messages.slice(3)).toMatchObject([
      { role: "tool", content: [{ toolCallId: "b" }] },
      {
        role: "user",
        content: [
          { type: "text", text: "[Media of read: failure]" },
          { type: "file", data: "AA==", mediaType: "image/png", filename: "a.png" },
        ],
      },
    ]);
    expect(warnings).toEqual([{ kind: "media-moved", messageIds: ["m3"] }]);
    expect([...refusals(payload), ...format.check(payload, manifest)]).toEqual([]);
  });

  it("carry each provider's metadata on a part as options, and proofs under the provider that made them", () => {
    const thread = threadOf(
      ["user", { type: "text", text: "go", providerMetadata: { anthropic: { cacheControl: { type: "ephemeral" } } } }],
      [
        "assistant",
        { type: "reasoning", text: "", provider: "anthropic", encrypted: "x" },
        {
          type: "reasoning",
          text: "",
          provider: "openai",
          encrypted: "y",
          providerMetadata: { openai: { itemId: "rs_1" } },
        },
        { type: "reasoning", text: "", provider: "gemini", signature: "z" },
        { type: "reasoning", text: "unsigned" },
        { type: "text", text: "so", providerMetadata: { openai: { itemId: "msg_1" } } },
      ],
      ["user", "on"],
      ["assistant", { type: "text", text: "alone", providerMetadata: { openai: { itemId: "msg_2", phase: "final" } } }],
      ["user", "end"],
    );
    const { messages } = renderSample(thread, { format: "ai-sdk" });
    expect(messages.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "go", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } }],
      [
        { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "x" } } },
        {
          type: "reasoning",
          text: "",
          providerOptions: { openai: { itemId: "rs_1", reasoningEncryptedContent: "y" } },
        },
        { type: "reasoning", text: "", providerOptions: { google: { thoughtSignature: "z" } } },
        { type: "reasoning", text: "unsigned" },
        { type: "text", text: "so", providerOptions: { openai: { itemId: "msg_1" } } },
      ],
      [{ type: "text", text: "on" }],
      [{ type: "text", text: "alone", providerOptions: { openai: { phase: "final" } } }],
      [{ type: "text", text: "end" }],
    ]);
  });
});
