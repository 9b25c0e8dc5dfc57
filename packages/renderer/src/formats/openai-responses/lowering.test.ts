import {
  asToolCallId,
  type ChatMessage,
  type JsonObject,
  type JsonValue,
  type MediaSource,
  type Part,
} from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { openaiResponses } from "./format.ts";

const lowered = (role: ChatMessage["role"], parts: readonly Part[], more: Partial<ChatMessage> = {}): unknown =>
  openaiResponses.lower({ system: [], tools: [], messages: [{ role, parts, sources: [], ...more }] }).payload.input;

const openai = (metadata: JsonObject) => ({ providerMetadata: { openai: metadata } });
const text = (value: string, metadata?: JsonObject): Part => ({
  type: "text",
  text: value,
  ...(metadata && openai(metadata)),
});
const media = (type: "image" | "file", source: MediaSource, name?: string): Part => ({
  type,
  source,
  ...(name !== undefined && { name }),
});
const call = (metadata?: JsonObject, input: JsonObject | string = { path: "a" }): Part => ({
  type: "tool-call",
  callId: asToolCallId("call_1"),
  toolName: "read",
  input,
  ...(metadata && openai(metadata)),
});
const reasoning = (item?: JsonObject): Part => ({
  type: "reasoning",
  text: "hm",
  provider: "openai",
  encrypted: "ZW5j",
  ...(item && openai({ item })),
});
const item = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Look" }], content: null };

describe("openai-responses lowering", () => {
  it.each<readonly [string, Part, unknown]>([
    [
      "a picture as data",
      media("image", { kind: "base64", mediaType: "image/png", data: "AA==" }),
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AA==" },
    ],
    [
      "an uploaded picture",
      media("image", { kind: "file-id", fileId: "f" }),
      { type: "input_image", detail: "auto", file_id: "f" },
    ],
    [
      "a document as data",
      media("file", { kind: "base64", mediaType: "application/pdf", data: "AA==" }, "a.pdf"),
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" },
    ],
    [
      "a document by URL",
      media("file", { kind: "url", url: "https://x/a.pdf" }),
      { type: "input_file", file_url: "https://x/a.pdf" },
    ],
  ])("%s", (_name, part, content) => {
    expect(lowered("user", [text("see"), part])).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "see" }, content] },
    ]);
  });

  it("restores the ids of reasoning, message and call when all of them have one", () => {
    const parts = [
      reasoning(item),
      text("So.", { id: "msg_1", phase: "commentary", annotations: [{ type: "url_citation" }] }),
      call({ itemId: "fc_1" }),
    ];
    expect(lowered("assistant", parts)).toEqual([
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "Look" }],
        encrypted_content: "ZW5j",
      },
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "So.", annotations: [{ type: "url_citation" }] }],
        phase: "commentary",
      },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
    ]);
  });

  it.each<readonly [string, readonly Part[], Partial<ChatMessage>]>([
    ["the reasoning is gone", [text("So.", { id: "msg_1" }), call({ id: "fc_1" })], {}],
    ["the reasoning has none", [reasoning(), text("So.", { id: "msg_1" })], {}],
    ["an item behind the reasoning has none", [reasoning(item), text("So.", { id: "msg_1" }), call()], {}],
    ["an id is of another kind", [reasoning(item), call({ id: "msg_1" })], {}],
    ["a custom call has a function's", [reasoning(item), call({ id: "fc_1", type: "custom_tool_call" }, "ls")], {}],
    ["the message was changed", [reasoning(item), call({ id: "fc_1" })], { synthetic: "placeholder" }],
  ])("W16 Responses omits ids where %s", (_name, parts, more) => {
    expect(JSON.stringify(lowered("assistant", parts, more))).not.toContain('"id"');
  });

  it("W16 Responses keeps the id of reasoning that a hosted item needs, even in a changed message", () => {
    const hosted = (value: JsonObject): Part => ({ type: "opaque", provider: "openai", value });
    const search = { type: "web_search_call", id: "ws_1" };
    const second = reasoning({ ...item, id: "rs_2" });
    const idsOf = (...parts: readonly Part[]) =>
      (lowered("assistant", parts, { synthetic: "placeholder" }) as JsonObject[]).map(({ id }) => id);
    expect(idsOf(reasoning(item), hosted(search), second, call({ id: "fc_1" }))).toEqual([
      ...["rs_1", "ws_1", undefined, undefined],
    ]);
    expect(idsOf(reasoning(item), hosted({ type: "shell_call", call_id: "c" }), call())).toEqual([
      ...[undefined, undefined, undefined],
    ]);
    expect(idsOf(reasoning(item), call(), hosted(search))).toEqual(["rs_1", undefined, "ws_1"]);
  });

  it("W16 Responses sends each id only once", () => {
    const parts = [reasoning(item), call({ id: "fc_1" })];
    const messages = [1, 2].map(() => ({ role: "assistant" as const, parts, sources: [] }));
    const { payload } = openaiResponses.lower({ system: [], tools: [], messages });
    expect((payload.input as JsonObject[]).map(({ id }) => id)).toEqual(["rs_1", "fc_1", undefined, undefined]);
  });

  it("sends unchanged arguments as the model wrote them if a double cannot hold a number in them", () => {
    const written = '{"id": 1234567890123456789}';
    const argumentsOf = (input: JsonObject, text: JsonValue = written) =>
      (lowered("assistant", [call({ arguments: text }, input)]) as JsonObject[])[0]?.["arguments"];
    expect(argumentsOf(JSON.parse(written))).toBe(written);
    expect(argumentsOf({ id: "[cleared: 620 characters]" })).toBe('{"id":"[cleared: 620 characters]"}');
    for (const strange of ["{", 7, "", "[1]"]) expect(argumentsOf({ id: 1 }, strange)).toBe('{"id":1}');
  });

  it("sends custom tool calls as free text, even cleared ones, and their outputs as custom tool outputs", () => {
    const message = (input: JsonObject | string) => ({
      role: "assistant" as const,
      parts: [call({ type: "custom_tool_call" }, input)],
      sources: [],
    });
    const result: Part = {
      type: "tool-result",
      result: {
        toolName: "read",
        callId: asToolCallId("call_1"),
        outcome: "success",
        content: { type: "json", value: [1] },
      },
    };
    const inputs = ["ls -l", { _raw: "[cleared: 620 characters]" }].map((input) => {
      const messages = [message(input), { role: "tool" as const, parts: [result], sources: [] }];
      return openaiResponses.lower({ system: [], tools: [], messages }).payload.input;
    });
    const output = { type: "custom_tool_call_output", call_id: "call_1", output: "[1]" };
    expect(inputs).toEqual([
      [{ type: "custom_tool_call", call_id: "call_1", name: "read", input: "ls -l" }, output],
      [{ type: "custom_tool_call", call_id: "call_1", name: "read", input: "[cleared: 620 characters]" }, output],
    ]);
  });

  it("sends all system text as one string of instructions, and strict functions only where they are defined so", () => {
    const grammar = { type: "grammar", syntax: "lark", definition: "start: /x/" };
    const tools = [
      { name: "a", inputSchema: {} },
      { name: "b", description: "B", inputSchema: { type: "object" }, ...openai({ strict: true }) },
      { name: "c", inputSchema: {}, ...openai({ type: "custom", format: grammar }) },
    ];
    expect(openaiResponses.lower({ system: ["s", "t"], tools, messages: [] }).payload).toEqual({
      instructions: "s\n\nt",
      input: [],
      tools: [
        { type: "function", name: "a", parameters: { type: "object", properties: {} }, strict: false },
        {
          type: "function",
          name: "b",
          description: "B",
          parameters: { type: "object", properties: {} },
          strict: true,
        },
        { type: "custom", name: "c", format: grammar },
      ],
      store: false,
    });
  });

  it("groups tools by namespace, adds the namespace to calls, and sends provider tools unchanged", () => {
    const namespace = { name: "crm", description: "Customers." };
    const tools = [
      { name: "find", inputSchema: { type: "object" }, ...openai({ type: "tool_search", execution: "server" }) },
      { name: "orders", inputSchema: {}, ...openai({ namespace, defer_loading: true }) },
      { name: "bash", inputSchema: {} },
      { name: "note", inputSchema: {}, ...openai({ namespace, type: "custom" }) },
    ];
    const asked = { role: "assistant", sources: [], parts: [call({ namespace: "crm" })] } as const;
    const { payload } = openaiResponses.lower({ system: [], tools, messages: [asked] });
    const parameters = { type: "object", properties: {} };
    expect(payload.tools).toEqual([
      { type: "tool_search", execution: "server" },
      {
        ...{ type: "namespace", ...namespace },
        tools: [
          { type: "function", name: "orders", parameters, strict: false, defer_loading: true },
          { type: "custom", name: "note" },
        ],
      },
      { type: "function", name: "bash", parameters, strict: false },
    ]);
    expect(payload.input).toMatchObject([{ type: "function_call", name: "read", namespace: "crm" }]);
  });
});
