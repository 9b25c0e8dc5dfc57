import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const user = (...content: readonly unknown[]) => ({ role: "user", content });
const assistant = (content: readonly unknown[], more: object = {}) => ({ role: "assistant", content, ...more });
const text = (value: string) => ({ type: "text", text: value });
const call = (id: unknown, name = "bash") => ({ type: "tool_use", id, name, input: { command: "ls" } });
const result = (id: unknown, more: object = {}) => ({ type: "tool_result", tool_use_id: id, content: "ok", ...more });

describe("anthropicMessagesImporter", () => {
  it("reads a request body with system text, tools and messages", async () => {
    const schema = { type: "object" };
    const bytes = jsonDocument({
      model: "claude-sonnet-4-5",
      system: [{ ...text("be brief"), cache_control: { type: "ephemeral" } }, text("and kind")],
      tools: [
        { name: "bash", description: "runs", input_schema: schema, cache_control: { type: "ephemeral" } },
        { type: "web_search_20250305", name: "web_search" },
      ],
      messages: [
        user(text("hello")),
        assistant([text("hi")], { x_stop_reason: "end_turn", x_timestamp: "2025-12-24T13:00:50" }),
      ],
    });
    const session = await importSession(bytes);
    expect([session.format, session.model, session.system]).toEqual([
      "anthropic-messages",
      "claude-sonnet-4-5",
      [{ text: "be brief", providerMetadata: { anthropic: { cache_control: { type: "ephemeral" } } } }, "and kind"],
    ]);
    expect(session.tools).toEqual([
      {
        name: "bash",
        description: "runs",
        inputSchema: schema,
        providerMetadata: { anthropic: { cache_control: { type: "ephemeral" } } },
      },
      {
        name: "web_search",
        inputSchema: { type: "object" },
        providerMetadata: { anthropic: { type: "web_search_20250305" } },
      },
    ]);
    expect(session.messages[1]).toMatchObject({
      createdAt: "2025-12-24T13:00:50.000Z",
      metadata: { stopReason: "end_turn", source: { path: "/messages/1" } },
    });
    expect(await brokenLaws(importerLaws({ bytes, format: "anthropic-messages" }))).toEqual([]);
  });

  it("keeps Anthropic-only data on the parts: cache markers, citations, signatures, redacted thinking, other blocks", async () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "redacted_thinking", data: "secret" },
      { ...text("as said"), citations: [{ cited_text: "x" }] },
      { ...call("t1"), cache_control: { type: "ephemeral" } },
      { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
      { type: "text" },
    ];
    const { messages } = await importSession(jsonDocument([user(text("go")), assistant(content)]));
    expect(messages[1]?.parts).toEqual([
      { type: "reasoning", text: "hm", provider: "anthropic", signature: "sig" },
      { type: "reasoning", text: "", provider: "anthropic", encrypted: "secret" },
      { type: "text", text: "as said", providerMetadata: { anthropic: { citations: [{ cited_text: "x" }] } } },
      {
        type: "tool-call",
        callId: "t1",
        toolName: "bash",
        input: { command: "ls" },
        providerMetadata: { anthropic: { cache_control: { type: "ephemeral" } } },
      },
      {
        type: "opaque",
        provider: "anthropic",
        value: { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
      },
      { type: "opaque", provider: "anthropic", value: { type: "text" } },
    ]);
  });

  it("splits a user turn into tool messages followed by a user message with the rest", async () => {
    const bytes = jsonDocument([
      user(text("go")),
      assistant([call("t1"), call("t2", "read")]),
      user(result("t2", { is_error: true }), text("ERROR! Your Patch is empty."), result("t1")),
    ]);
    const { messages, threadId } = await importSession(bytes);
    const seed = threadId.replace("anthropic-messages-", "").slice(0, 8);
    expect(messages.slice(2).map(({ id, role, origin }) => [id, role, origin])).toEqual([
      [`${seed}-2`, "tool", undefined],
      [`${seed}-2.1`, "tool", undefined],
      [`${seed}-2.rest`, "user", undefined],
    ]);
    expect(messages[2]?.parts).toMatchObject([{ result: { callId: "t2", toolName: "read", outcome: "failure" } }]);
    expect(await brokenLaws(importerLaws({ bytes, format: "anthropic-messages" }))).toEqual([]);
  });

  it("attributes media beside results to the harness if the turn has no typed text", async () => {
    const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
    const { messages } = await importSession(
      jsonDocument([user(image), assistant([call("t1")]), user(result("t1"), image)]),
    );
    expect(messages[0]).not.toHaveProperty("origin");
    expect(messages[3]).toMatchObject({ role: "user", origin: "harness" });
  });

  it("keeps result bodies as text, as blocks, or as JSON for unknown blocks", async () => {
    const document = {
      type: "document",
      title: "a.pdf",
      source: { type: "base64", media_type: "application/pdf", data: "aGk=" },
    };
    const bodies = [
      undefined,
      [],
      [text("one")],
      [text("one"), document],
      [{ type: "tool_reference", tool_name: "x" }],
      { odd: true },
    ];
    const { messages } = await importSession(
      jsonDocument([
        user(text("go")),
        assistant(bodies.map((_, index) => call(`t${index}`))),
        user(...bodies.map((content, index) => result(`t${index}`, { content }))),
      ]),
    );
    const contents = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [part.result.content] : [])),
    );
    const file = {
      type: "file",
      name: "a.pdf",
      source: { kind: "base64", mediaType: "application/pdf", data: "aGk=" },
    };
    expect(contents).toEqual([
      { type: "text", text: "" },
      { type: "text", text: "" },
      { type: "text", text: "one" },
      { type: "blocks", blocks: [{ type: "text", text: "one" }, file] },
      { type: "json", value: [{ type: "tool_reference", tool_name: "x" }] },
      { type: "json", value: { odd: true } },
    ]);
  });

  it("counts the cache into the input tokens, in both spellings of usage", async () => {
    const figures = {
      input_tokens: 3,
      output_tokens: 5,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
    };
    const { messages } = await importSession(
      jsonDocument([
        assistant([text("a")], { usage: figures, stop_reason: "end_turn", id: "msg_1", model: "claude-opus-4-5" }),
        assistant([text("b")], { x_usage: figures }),
      ]),
    );
    const usage = { inputTokens: 123, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 20 };
    expect(messages.map((message) => message.usage)).toEqual([usage, usage]);
    expect(messages[0]).toMatchObject({
      model: "claude-opus-4-5",
      metadata: { responseId: "msg_1", stopReason: "end_turn" },
    });
  });

  it("recognizes a server-side compaction and keeps its block byte for byte", async () => {
    const block = { type: "compaction", content: "what was" };
    const session = await importSession(jsonLines([user(text("go")), assistant([block, text("on")])]));
    expect(session.messages[1]?.parts[0]).toEqual({ type: "opaque", provider: "anthropic", value: block });
    expect(session.compactions).toEqual([{ messageId: session.messages[1]?.id, trigger: "server" }]);
  });

  it("reports the usage of server-side compactions separately from that of the answer", async () => {
    const block = { type: "compaction", content: "what was" };
    const pass = { type: "compaction", input_tokens: 30_000, cache_read_input_tokens: 150_000, output_tokens: 3_500 };
    const usage = {
      ...{ input_tokens: 23_000, output_tokens: 1_000 },
      iterations: [pass, { ...pass, input_tokens: 1_000 }, { type: "message", input_tokens: 23_000 }],
    };
    const answer = { ...assistant([block, text("on")]), usage };
    const alone = { ...assistant([block]), usage: { input_tokens: 0, output_tokens: 0, iterations: [pass] } };
    const session = await importSession(jsonLines([user(text("go")), answer, user(text("on")), alone]));
    expect(session.messages.map((message) => message.usage)).toEqual([
      undefined,
      {
        ...{ inputTokens: 23_000, outputTokens: 1_000 },
        compaction: { inputTokens: 331_000, outputTokens: 7_000, cacheReadTokens: 300_000 },
      },
      undefined,
      {
        ...{ inputTokens: 0, outputTokens: 0 },
        compaction: { inputTokens: 180_000, outputTokens: 3_500, cacheReadTokens: 150_000 },
      },
    ]);
    expect(session.compactions).toMatchObject([{ tokensBefore: 331_000 }, { tokensBefore: 180_000 }]);
  });

  it("reads a thread of Amp: results by what ran, summaries, usage and times", async () => {
    const ran = (id: string, run: object) => ({ type: "tool_result", toolUseID: id, run });
    const used = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { cmd: id }, complete: true });
    const thought = (provider: string) => ({ type: "thinking", thinking: "hm", signature: "sig", provider });
    const usage = { model: "claude-opus-4-5", inputTokens: 3, outputTokens: 5, cacheReadInputTokens: 100 };
    const bytes = jsonDocument({
      ...{ v: 9, id: "T-019b9d03-62e3-772f-9780-3e637f90eaec", created: 1_767_225_600_000 },
      messages: [
        { role: "user", content: [{ type: "text", text: "go" }], meta: { sentAt: 1_767_225_601_000 } },
        { role: "info", content: [{ type: "summary", summary: { type: "message", summary: "what was" } }] },
        { role: "info", content: [{ type: "manual_bash_invocation" }] },
        {
          ...{ role: "assistant", usage, state: { type: "complete", stopReason: "tool_use" } },
          content: [thought("anthropic"), thought("openai"), used("c1"), used("c2"), used("c3")],
        },
        {
          role: "user",
          content: [
            ran("c1", { status: "done", result: { output: "ok", exitCode: 0 } }),
            ran("c2", { status: "done", result: { output: "no", exitCode: 1 } }),
            ran("c3", { status: "error", error: { message: "refused" } }),
          ],
        },
      ],
    });
    const session = await importSession(bytes);
    expect(session).toMatchObject({ threadId: "T-019b9d03-62e3-772f-9780-3e637f90eaec", model: "claude-opus-4-5" });
    expect(session.messages.map(({ role, origin }) => [role, origin])).toEqual([
      ["user", undefined],
      ["user", "compaction"],
      ["assistant", undefined],
      ...["tool", "tool", "tool"].map((role) => [role, undefined]),
    ]);
    expect(session.messages[0]?.createdAt).toBe("2026-01-01T00:00:01.000Z");
    expect(session.messages[2]).toMatchObject({
      usage: { inputTokens: 103, outputTokens: 5, cacheReadTokens: 100 },
      parts: [{ signature: "sig" }, { text: "hm" }, { callId: "c1" }, { callId: "c2" }, { callId: "c3" }],
    });
    expect(session.messages[2]?.parts[1]).not.toHaveProperty("signature");
    expect(session.messages.slice(3).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "c1", outcome: "success", content: { value: { output: "ok" } } } },
      { result: { callId: "c2", outcome: "failure" } },
      { result: { callId: "c3", outcome: "failure", content: { text: "refused" } } },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "anthropic-messages" }))).toEqual([]);
  });

  it("reports invalid messages and goes on", async () => {
    const session = await importSession(
      jsonDocument({
        system: "s",
        messages: [user(text("go")), 1, { role: "ghost", content: "" }, { role: "system", content: "mind" }],
      }),
    );
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "system"]);
    expect(session.malformed.map(({ path }) => path)).toEqual(["/messages/1", "/messages/2"]);
  });
});
