import { asToolCallId, type ChatMessage, type ChatRequest, type MediaSource, type Part } from "@threadfold/core";
import { call, growthOnQuadrupling, result, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import type { AnyJson } from "../testing/render-sample.ts";
import { anthropicMessages } from "./anthropic-messages/format.ts";
import { FORMATS } from "./formats.ts";
import { openaiChat } from "./openai-chat/format.ts";
import { openaiResponses } from "./openai-responses/format.ts";
import type { ProviderFormat } from "./provider-format.ts";

const lowerOne = (format: ProviderFormat, role: ChatMessage["role"], ...parts: Part[]): AnyJson =>
  (format.lower({ system: [], tools: [], messages: [{ role, parts, sources: [] }] }).payload.messages as AnyJson)[0];

const media = (type: "image" | "file", source: MediaSource, name?: string): Part => ({
  type,
  source,
  ...(name !== undefined && { name }),
});

describe("P9: however many calls one message makes", () => {
  const saying = (...parts: Part[]): ChatRequest => ({
    system: [],
    tools: [],
    messages: [{ role: "assistant", parts, sources: [] }],
  });

  const manyCalls = (count: number): ChatRequest => {
    const names = Array.from({ length: count }, (_, place) => `call-${place}`);
    const said = (role: ChatMessage["role"], ...parts: Part[]): ChatMessage => ({ role, parts, sources: [] });
    const results = names.map((name) => said("tool", result(name, "ok")));
    return {
      system: [],
      tools: [{ name: "read", inputSchema: {} }],
      messages: [said("user", text("go")), said("assistant", ...names.map((name) => call(name))), ...results],
    };
  };

  it.each(FORMATS.map((format) => [format.id, format] as const))(
    "%s takes as much time for each",
    async (_, format) => {
      // Parts that were lowered before are remembered, so each request is a new one.
      const work = (count: number) => format.lower(manyCalls(count));
      expect(await growthOnQuadrupling((count) => count, work, 4_000)).toBeLessThan(10);
    },
  );

  it("openai-responses keeps the ids of reasoning in the same time", async () => {
    const parts = (count: number) =>
      Array.from({ length: count }, (_, place): Part[] => {
        const item = { type: "reasoning", id: `rs_${place}`, summary: [], encrypted_content: "x" };
        const thought = { type: "reasoning", text: "", provider: "openai", encrypted: "x" } as const;
        const shell = { type: "shell_call", id: `sh_${place}`, call_id: `call-${place}` };
        return [
          { ...thought, providerMetadata: { openai: { item } } },
          { type: "opaque", provider: "openai", value: shell },
        ];
      }).flat();
    // The text has no id, so the ids of the message are not kept as a whole.
    const work = (count: number) => openaiResponses.lower(saying(text("go"), ...parts(count), text("done")));
    expect(await growthOnQuadrupling((count) => count, work, 8_000)).toBeLessThan(10);
  });
});

describe("anthropic-messages lowering", () => {
  it.each<readonly [string, Part, unknown]>([
    [
      "a picture by URL",
      media("image", { kind: "url", url: "https://x/a.png" }),
      { type: "image", source: { type: "url", url: "https://x/a.png" } },
    ],
    [
      "a picture by file id",
      media("image", { kind: "file-id", fileId: "f" }),
      { type: "image", source: { type: "file", file_id: "f" } },
    ],
    [
      "a document by URL",
      media("file", { kind: "url", url: "https://x/a.pdf" }, "a.pdf"),
      { type: "document", source: { type: "url", url: "https://x/a.pdf" }, title: "a.pdf" },
    ],
    [
      "a text document",
      media("file", { kind: "base64", mediaType: "text/plain", data: "w7w=" }),
      { type: "document", source: { type: "text", media_type: "text/plain", data: "ü" } },
    ],
  ])("%s", (_name, part, block) => {
    expect(lowerOne(anthropicMessages, "user", part).content).toEqual([block]);
  });

  it("writes JSON results as text, and no content for an empty result", () => {
    const result = (content: object): Part =>
      ({
        type: "tool-result",
        result: { toolName: "t", callId: asToolCallId("a"), outcome: "success", content },
      }) as Part;
    expect(lowerOne(anthropicMessages, "tool", result({ type: "json", value: { b: [1] } })).content[0].content).toBe(
      '{"b":[1]}',
    );
    expect(lowerOne(anthropicMessages, "tool", result({ type: "text", text: " \n" })).content[0]).toEqual({
      type: "tool_result",
      tool_use_id: "a",
    });
    expect(lowerOne(anthropicMessages, "tool", result({ type: "blocks", blocks: [] })).content[0]).toEqual({
      type: "tool_result",
      tool_use_id: "a",
    });
  });

  it("gives every tool schema a type, and omits absent fields", () => {
    const tools = [
      { name: "a", inputSchema: {} },
      { name: "b", description: "B", inputSchema: { type: "object", required: [] } },
    ];
    expect(anthropicMessages.lower({ system: ["s"], tools, messages: [] }).payload).toEqual({
      system: [{ type: "text", text: "s" }],
      tools: [
        { name: "a", input_schema: { type: "object" } },
        { name: "b", description: "B", input_schema: { type: "object", required: [] } },
      ],
      messages: [],
    });
  });
});

describe("openai-chat lowering", () => {
  it.each<readonly [string, Part, unknown]>([
    [
      "a picture as data",
      media("image", { kind: "base64", mediaType: "image/png", data: "AA==" }),
      { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
    ],
    [
      "a document as data",
      media("file", { kind: "base64", mediaType: "application/pdf", data: "AA==" }, "a.pdf"),
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" } },
    ],
    [
      "a document by file id",
      media("file", { kind: "file-id", fileId: "f" }),
      { type: "file", file: { file_id: "f" } },
    ],
  ])("%s", (_name, part, lowered) => {
    expect(lowerOne(openaiChat, "user", text("see"), part).content).toEqual([{ type: "text", text: "see" }, lowered]);
  });

  it("writes a single text as a string, several as parts, and null when there are only calls", () => {
    const call: Part = { type: "tool-call", callId: asToolCallId("a"), toolName: "t", input: { b: 1 } };
    expect(lowerOne(openaiChat, "assistant", text("one")).content).toBe("one");
    expect(lowerOne(openaiChat, "assistant", text("one"), text("two")).content).toEqual([
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ]);
    expect(lowerOne(openaiChat, "assistant", call)).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "t", arguments: '{"b":1}' } }],
    });
  });

  it("sends back what came beside an answer, and audio by its id unless the log has its words", () => {
    const openai = {
      reasoning_details: [{ type: "reasoning.encrypted", data: "ZW5j" }],
      annotations: [{ type: "file" }],
    };
    const answer = (role: ChatMessage["role"], metadata: object, ...parts: Part[]) =>
      openaiChat.lower({
        ...{ system: [], tools: [] },
        messages: [
          { role, parts, sources: [], providerMetadata: { openai: metadata } as ChatMessage["providerMetadata"] },
        ],
      }).payload.messages;
    expect(answer("assistant", { ...openai, other: 1 }, text("a"))).toEqual([
      { role: "assistant", content: "a", ...openai },
    ]);
    expect(answer("user", openai, text("a"))).toEqual([{ role: "user", content: "a" }]);
    const audio = (words: string, more: object): Part =>
      ({ ...text(words), providerMetadata: { openai: { audio: { id: "audio_1", ...more } } } }) as Part;
    expect(lowerOne(openaiChat, "assistant", audio("Hello.", { expires_at: 1 }))).toEqual({
      ...{ role: "assistant", content: "Hello." },
    });
    expect(lowerOne(openaiChat, "assistant", audio("[audio]", {}))).toEqual({
      ...{ role: "assistant", content: null, audio: { id: "audio_1" } },
    });
    expect(lowerOne(openaiChat, "assistant", text("See:"), audio("[audio]", {}))).toEqual({
      ...{ role: "assistant", content: "See:", audio: { id: "audio_1" } },
    });
  });

  it("sends each system text as a message and tools as functions, whose parameters have a type and properties", () => {
    const tools = ["a", "b"].map((name) => ({ name, inputSchema: name === "a" ? { type: "object" } : {} }));
    expect(openaiChat.lower({ system: ["s", "t"], tools, messages: [] }).payload).toEqual({
      messages: [
        { role: "system", content: "s" },
        { role: "system", content: "t" },
      ],
      tools: ["a", "b"].map((name) => ({
        type: "function",
        function: { name, parameters: { type: "object", properties: {} } },
      })),
    });
  });
});
