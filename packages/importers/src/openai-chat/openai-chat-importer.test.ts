import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const call = (id: string | undefined, args: unknown, name = "bash") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const result = (id: string | undefined, content: unknown = "ok") => ({ role: "tool", tool_call_id: id, content });
const open = [
  { role: "system", content: "be brief" },
  { role: "user", content: "hello" },
];
const partsOf = async (message: object) => (await importSession(jsonDocument([...open, message]))).messages[2]?.parts;

describe("openaiChatImporter", () => {
  it("reads a request body, keeps system text in place, and derives ids from position and content", async () => {
    const bytes = jsonDocument({
      model: "gpt-5",
      start_time: "2025-12-26T15:06:45.558645",
      messages: [...open, { role: "developer", content: "now" }],
    });
    const session = await importSession(bytes);
    const opening = session.threadId.replace("openai-chat-", "");
    const seed = opening.slice(0, 8);
    expect(session.messages.map(({ id, role, createdAt }) => [id, role, createdAt])).toEqual([
      [`${seed}-0`, "system", "2025-12-26T15:06:45.559Z"],
      [`${seed}-1`, "user", "2025-12-26T15:06:45.560Z"],
      [`${seed}-2`, "system", "2025-12-26T15:06:45.561Z"],
    ]);
    expect(session.messages[2]?.metadata).toEqual({ source: { line: 1, path: "/messages/2" } });
    expect(session.messages[2]?.providerMetadata).toEqual({ openai: { role: "developer" } });
    expect([session.system, session.model, session.threadId]).toEqual([
      [],
      "gpt-5",
      expect.stringMatching(/^openai-chat-[0-9a-f]{24}$/),
    ]);
  });

  it("reads bare message arrays, one message per line and pretty-printed documents alike", async () => {
    const forms = [
      jsonDocument(open),
      jsonLines(open),
      new TextEncoder().encode(JSON.stringify({ messages: open }, undefined, 2)),
    ];
    const sessions = await Promise.all(forms.map((bytes) => importSession(bytes)));
    expect(sessions.map(({ messages }) => messages.map(({ parts }) => parts))).toEqual(
      sessions.map(() => sessions[0]?.messages.map(({ parts }) => parts)),
    );
    expect(sessions.map(({ messages }) => messages[1]?.metadata?.source)).toEqual([
      { line: 1, path: "/1" },
      { line: 2 },
      { line: 1, path: "/messages/1" },
    ]);
    for (const bytes of forms) expect(await brokenLaws(importerLaws({ bytes, format: "openai-chat" }))).toEqual([]);
  });

  it("parses arguments, keeps invalid JSON as text, and reads missing ones as empty", async () => {
    const calls = [
      call("c1", '{"a":1}'),
      call("c2", '{"a":'),
      call("c3", ""),
      call("c4", { a: 2 }),
      call("c5", '"text"'),
    ];
    const session = await importSession(
      jsonDocument([...open, { role: "assistant", content: null, tool_calls: calls }]),
    );
    expect(session.messages[2]?.parts).toEqual([
      { type: "tool-call", callId: "c1", toolName: "bash", input: { a: 1 } },
      { type: "tool-call", callId: "c2", toolName: "bash", input: '{"a":', invalidInput: '{"a":' },
      { type: "tool-call", callId: "c3", toolName: "bash", input: {} },
      { type: "tool-call", callId: "c4", toolName: "bash", input: { a: 2 } },
      { type: "tool-call", callId: "c5", toolName: "bash", input: "text" },
    ]);
    expect(session.warnings).toEqual([{ kind: "invalid-arguments", at: { line: 1, path: "/2" }, callId: "c2" }]);
  });

  it("does not crash on an assistant message without content and calls", async () => {
    expect(await partsOf({ role: "assistant", content: null })).toEqual([]);
    expect(await partsOf({ role: "assistant", tool_calls: [] })).toEqual([]);
    expect(await partsOf({ role: "assistant", content: "", tool_calls: null })).toEqual([{ type: "text", text: "" }]);
    expect(await partsOf({ role: "assistant", content: 7 })).toEqual([
      { type: "opaque", provider: "openai", value: 7 },
    ]);
    expect(await partsOf({ role: "assistant", tool_calls: [null] })).toMatchObject([
      { type: "tool-call", toolName: "", input: {} },
    ]);
  });

  it("assigns a result with a reused id to the newest call, and leaves unanswered calls open", async () => {
    const { messages } = await importSession(
      jsonDocument([
        ...open,
        { role: "assistant", content: null, tool_calls: [call("c1", "{}", "read")] },
        result("c1"),
        { role: "assistant", content: null, tool_calls: [call("c1", "{}", "write"), call("c2", "{}", "task_done")] },
        result("c1"),
        { role: "user", content: "ERROR! Your Patch is empty." },
      ]),
    );
    const names = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? part.result.toolName : [])),
    );
    expect(names).toEqual(["read", "write"]);
  });

  it("pairs calls without ids and legacy function calls", async () => {
    const bytes = jsonDocument([
      ...open,
      { role: "assistant", content: null, function_call: { name: "now", arguments: "{}" } },
      { role: "function", name: "now", content: "noon" },
      { role: "assistant", content: null, tool_calls: [call(undefined, "{}", "read"), call("", "{}", "write")] },
      { role: "tool", name: "write", content: "written" },
      { role: "tool", content: "read" },
    ]);
    const { messages } = await importSession(bytes);
    const ids = messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === "tool-call"
          ? `call ${part.callId}`
          : part.type === "tool-result"
            ? `result ${part.result.callId}`
            : [],
      ),
    );
    const [legacy, read, write] = ["call-1/2-0", "call-1/4-0", "call-1/4-1"];
    expect(ids).toEqual([
      `call ${legacy}`,
      `result ${legacy}`,
      `call ${read}`,
      `call ${write}`,
      `result ${write}`,
      `result ${read}`,
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "openai-chat" }))).toEqual([]);
  });

  it("reads images, audio, files, refusals and reasoning, and keeps unknown parts", async () => {
    const content = [
      { type: "text", text: "see" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=", detail: "low" } },
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
      { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
      { type: "file", file: { file_id: "file-1", filename: "a.pdf" } },
      { type: "hologram" },
    ];
    expect(await partsOf({ role: "user", content })).toEqual([
      { type: "text", text: "see" },
      {
        type: "image",
        source: { kind: "base64", mediaType: "image/png", data: "aGk=" },
        providerMetadata: { openai: { detail: "low" } },
      },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png" } },
      { type: "file", source: { kind: "base64", mediaType: "audio/wav", data: "aGk=" } },
      { type: "file", source: { kind: "file-id", fileId: "file-1" }, name: "a.pdf" },
      { type: "opaque", provider: "openai", value: { type: "hologram" } },
    ]);
    expect(await partsOf({ role: "assistant", content: "drawn", images: content.slice(2, 3) })).toEqual([
      { type: "text", text: "drawn" },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png" } },
    ]);
    expect(await partsOf({ role: "assistant", content: null, refusal: "no", reasoning_content: "hm" })).toEqual([
      {
        type: "reasoning",
        text: "hm",
        provider: "openai",
        providerMetadata: { openai: { field: "reasoning_content" } },
      },
      { type: "text", text: "no", providerMetadata: { openai: { refusal: true } } },
    ]);
  });

  it("reads usage in three spellings, with cached tokens always included in the input", async () => {
    const reports = [
      { usage: { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } } },
      { x_usage: { input_tokens: 100, output_tokens: 5, cache_read_input_tokens: 80, reasoning_tokens: 2 } },
      {
        extra: {
          response: {
            model: "gemini",
            usage: { prompt_tokens: 100, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 2 } },
          },
        },
      },
      { usage: { prompt_tokens: 0, completion_tokens: 0 } },
    ];
    const { messages, model } = await importSession(
      jsonDocument([...open, ...reports.map((report) => ({ role: "assistant", content: "a", ...report }))]),
    );
    expect(messages.slice(2).map(({ usage }) => usage)).toEqual([
      { inputTokens: 100, outputTokens: 5, cacheReadTokens: 80 },
      { inputTokens: 100, outputTokens: 5, cacheReadTokens: 80, reasoningTokens: 2 },
      { inputTokens: 100, outputTokens: 5, reasoningTokens: 2 },
      undefined,
    ]);
    expect(model).toBe("gemini");
  });

  it("reads tools with schemas and bare names without, and reports invalid ones", async () => {
    const schema = { type: "object", properties: { path: { type: "string" } } };
    const tools = [
      { type: "function", function: { name: "read", description: "reads", parameters: schema, strict: true } },
      "bash",
      7,
      { type: "function" },
    ];
    const session = await importSession(jsonDocument({ messages: open, tools }));
    expect(session.tools).toEqual([
      { name: "read", description: "reads", inputSchema: schema, providerMetadata: { openai: { strict: true } } },
      { name: "bash", inputSchema: { type: "object" } },
    ]);
    expect(session.warnings).toEqual([
      { kind: "unreadable-tool", index: 2 },
      { kind: "unreadable-tool", index: 3 },
      { kind: "tools-without-schema", tools: ["bash"] },
    ]);
  });

  it("imports one thread of a source with one thread per line, and reports it", async () => {
    const bytes = jsonLines([{ traj: open }, "{ lost", { traj: [...open, { role: "assistant", content: "hi" }] }]);
    const session = await importSession(bytes, { thread: 2 });
    expect(session.messages.at(-1)?.metadata?.source).toEqual({ line: 3, path: "/traj/2" });
    expect(session.threadId).toMatch(/-2$/);
    expect(session.warnings).toEqual([{ kind: "more-threads", thread: 2, threads: 2 }]);
    expect(session.malformed.map(({ line }) => line)).toEqual([2]);
    await expect(importSession(bytes, { thread: 3 })).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it("reports invalid messages and goes on", async () => {
    const session = await importSession(
      jsonDocument([...open, null, { role: 5 }, { role: "ghost", content: "boo" }, { role: "user", content: "on" }]),
    );
    expect(session.messages).toHaveLength(3);
    expect(session.malformed.map(({ path, problem }) => [path, problem])).toEqual([
      ["/2", "it is not an object with a role"],
      ["/3", "it is not an object with a role"],
      ["/4", "the role ghost is unknown"],
    ]);
  });

  it("keeps what a router wants back beside an answer, and reads thoughts that are nowhere else", async () => {
    const details = [
      { type: "reasoning.text", text: "It is short.", signature: "c2ln", format: "anthropic-claude-v1", index: 0 },
      { type: "reasoning.encrypted", data: "ZW5j", id: "call_1", format: "google-gemini-v1", index: 1 },
    ];
    const summary = [{ type: "reasoning.summary", summary: "Two words.", index: 0 }];
    const cited = [
      { type: "url_citation", url_citation: { url: "https://a", title: "a", start_index: 0, end_index: 2 } },
    ];
    const blocks = [{ type: "thinking", thinking: "hm", signature: "c2ln" }];
    const { messages } = await importSession(
      jsonDocument({
        messages: [
          { role: "user", content: "hi" },
          {
            role: "assistant",
            content: "a",
            reasoning: "It is short.",
            reasoning_details: details,
            annotations: cited,
          },
          { role: "assistant", content: "b", reasoning_details: summary, annotations: [] },
          { role: "assistant", content: "c", reasoning_details: [details[1]], thinking_blocks: blocks },
        ],
      }),
    );
    expect(messages.slice(1).map(({ parts, providerMetadata }) => [parts, providerMetadata])).toEqual([
      [
        [
          {
            type: "reasoning",
            text: "It is short.",
            provider: "openai",
            providerMetadata: { openai: { field: "reasoning" } },
          },
          { type: "text", text: "a" },
        ],
        { openai: { reasoning_details: details, annotations: cited } },
      ],
      [
        [
          {
            type: "reasoning",
            text: "Two words.",
            provider: "openai",
            providerMetadata: { openai: { field: "reasoning" } },
          },
          { type: "text", text: "b" },
        ],
        { openai: { reasoning_details: summary } },
      ],
      [[{ type: "text", text: "c" }], { openai: { reasoning_details: [details[1]], thinking_blocks: blocks } }],
    ]);
  });

  it("reads a spoken answer as its words, and one that is only named as audio", async () => {
    const audio = { id: "audio_1", data: "AAAA", expires_at: 1_729_234_747, transcript: "Hello there." };
    const { messages } = await importSession(
      jsonDocument({
        messages: [
          { role: "user", content: "speak" },
          { role: "assistant", content: null, audio },
          { role: "assistant", audio: { id: "audio_2" } },
          { role: "assistant", content: "written", audio: null },
        ],
      }),
    );
    expect(messages.slice(1).map(({ parts }) => parts)).toEqual([
      [
        {
          ...{ type: "text", text: "Hello there." },
          providerMetadata: { openai: { audio: { id: "audio_1", expires_at: 1_729_234_747 } } },
        },
      ],
      [{ type: "text", text: "[audio]", providerMetadata: { openai: { audio: { id: "audio_2" } } } }],
      [{ type: "text", text: "written" }],
    ]);
  });
});
