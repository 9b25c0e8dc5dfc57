import type { MessageInput } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import type { LiveFormat } from "./live-value.ts";
import { livePositions, messageReader } from "./message-reader.ts";

const anthropic = [
  { role: "user", content: "Read both files." },
  {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-x",
    content: [
      { type: "thinking", thinking: "Both.", signature: "c2ln" },
      { type: "text", text: "I read them.", cache_control: { type: "ephemeral" } },
      { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } },
      { type: "tool_use", id: "toolu_2", name: "grep", input: { pattern: "b" } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3 },
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_2", content: "nothing", is_error: true },
      { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "a's text" }] },
      { type: "text", text: "And now?" },
    ],
  },
  { role: "assistant", content: [{ type: "compaction", content: "so far", encrypted_content: "eA==" }] },
];

const chat = [
  { role: "developer", content: "Be brief." },
  { role: "user", name: "ada", content: [{ type: "text", text: "Look.", prompt_cache_breakpoint: { mode: "x" } }] },
  {
    role: "assistant",
    content: null,
    reasoning_content: "hm",
    tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } }],
  },
  { role: "tool", tool_call_id: "call_1", content: "a's text" },
  { role: "assistant", content: "Done.", refusal: null },
];

const responses = [
  [{ role: "user", content: "Look." }],
  [
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "eA==" },
    { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
  ],
  [{ type: "function_call_output", call_id: "call_1", output: "a's text" }],
];

const aiSdk = [
  {
    role: "user",
    content: [{ type: "text", text: "Look.", providerOptions: { anthropic: { cacheControl: { type: "x" } } } }],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "c2ln" } } },
      { type: "tool-call", toolCallId: "call_1", toolName: "read", input: { path: "a" } },
    ],
  },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "call_1", toolName: "read", output: { type: "json", value: [1] } }],
  },
];

const said = (messages: readonly MessageInput[]) =>
  messages.map(({ role, parts, origin, providerMetadata, usage, model }) => ({
    ...{ role, parts, origin, providerMetadata, usage, model },
  }));

describe("a reader of live messages", () => {
  it.each<[LiveFormat, readonly (readonly unknown[])[]]>([
    ["anthropic-messages", anthropic.map((value) => [value])],
    ["openai-chat", chat.map((value) => [value])],
    ["openai-responses", responses],
    ["ai-sdk", aiSdk.map((value) => [value])],
  ])("reads %s message by message with the same result as the importer", async (format, batches) => {
    const reader = messageReader(format, { seed: "s" });
    const live = batches.flatMap((values) => reader.read(values));
    const bytes = new TextEncoder().encode(JSON.stringify(batches.flat()));
    const imported = await importSession(bytes, { format });
    expect(said(live)).toEqual(said(imported.messages));
    expect(new Set(live.map(({ id }) => id)).size).toBe(live.length);
  });

  it("matches a local shell's result to its call by the `id` field", () => {
    const reader = messageReader("openai-responses", { seed: "work" });
    const action = { type: "exec", command: ["ls"], env: {} };
    reader.read([{ type: "local_shell_call", id: "lsh_1", call_id: "call_1", status: "completed", action }]);
    const [message] = reader.read([{ type: "local_shell_call_output", id: "call_1", output: "a.ts" }]);
    expect(message?.parts).toMatchObject([{ result: { callId: "call_1", toolName: "local_shell" } }]);
  });

  it("uses a value's own id, or one from seed and position, and records its position", () => {
    const reader = messageReader("anthropic-messages", { seed: "run-7" });
    const messages = reader.read(anthropic.slice(0, 3));
    expect(messages.map(({ id }) => id)).toEqual(["run-7-0", "msg_1", "run-7-2", "run-7-2.1", "run-7-2.rest"]);
    expect(messages.map(livePositions)).toEqual([[0], [1], [2], [2], [2]]);
    expect(reader.read([anthropic[0]]).map(({ id }) => id)).toEqual(["run-7-3"]);
    expect(reader.read([anthropic[0]], { position: 40 }).map(({ id }) => id)).toEqual(["run-7-40"]);
    expect(reader.read([anthropic[1]]).map(({ id }) => id)).toEqual(["msg_1~2"]);
  });

  it("makes one message of a response's items and records the position of each", () => {
    const reader = messageReader("openai-responses", { seed: "s" });
    const [, answer] = reader.read([...responses.flat()], { model: "gpt-x" });
    expect(answer).toMatchObject({ id: "rs_1", role: "assistant", model: "gpt-x" });
    expect(livePositions(answer as MessageInput)).toEqual([1, 2, 3]);
  });

  it("names the tool of a result whose call was read before", () => {
    const reader = messageReader("anthropic-messages", { seed: "s" });
    reader.read(anthropic.slice(0, 2));
    const results = reader.read(anthropic.slice(2, 3)).flatMap(({ parts }) => parts);
    expect(results.map((part) => (part.type === "tool-result" ? part.result.toolName : ""))).toEqual([
      "grep",
      "read",
      "",
    ]);
  });

  it("gives values without a time the read time, in order", () => {
    const messages = messageReader("openai-chat", { seed: "s" }).read(chat, { now: Date.UTC(2026, 0, 1) });
    const times = messages.map(({ createdAt }) => createdAt);
    expect(times[0]).toMatch(/^2026-01-01T00:00:00/);
    expect(times).toEqual(times.toSorted());
  });

  it("converts non-JSON values to JSON without changing the originals", () => {
    const value = {
      role: "user",
      content: [
        { type: "image", image: new Uint8Array([104, 105]), mediaType: "image/png", providerOptions: undefined },
        {
          type: "file",
          data: { type: "url", url: new URL("https://example.com/a.pdf") },
          mediaType: "application/pdf",
        },
      ],
    };
    const before = structuredClone({ ...value, content: [value.content[0]] });
    const [message] = messageReader("ai-sdk", { seed: "s" }).read([value]);
    expect(message?.parts).toEqual([
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "aGk=" } },
      { type: "file", source: { kind: "url", url: "https://example.com/a.pdf" } },
    ]);
    expect({ ...value, content: [value.content[0]] }).toEqual(before);
  });

  it.each<[LiveFormat, unknown]>([
    ["anthropic-messages", { role: "robot", content: "hm" }],
    ["openai-chat", "hello"],
    ["openai-responses", 7],
    ["ai-sdk", { role: "user" }],
  ])("refuses an invalid %s message and names its position", (format, value) => {
    const read = () => messageReader(format, { seed: "s" }).read([value], { position: 12 });
    expect(read).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE", details: { position: 12 } }));
    expect(read).toThrow(/Message 12 of the conversation/);
  });
});
