import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const call = { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a" } };
const result = (output: object, id = "c1") => ({ type: "tool-result", toolCallId: id, toolName: "read", output });
const model = [
  { role: "system", content: "be brief" },
  {
    role: "user",
    content: [
      { type: "text", text: "go" },
      { type: "image", image: "https://x/a.png" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "sig" } } },
      { type: "text", text: "looking", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
      call,
      { ...call, toolCallId: "c2" },
    ],
  },
  {
    role: "tool",
    content: [result({ type: "text", value: "a" }), result({ type: "error-json", value: { code: 1 } }, "c2")],
  },
];

describe("aiSdkImporter, ModelMessage[]", () => {
  it("reads parts with provider metadata, and splits results into tool messages", async () => {
    const bytes = jsonDocument(model);
    const session = await importSession(bytes);
    expect(session.format).toBe("ai-sdk");
    expect(session.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool"]);
    expect(session.messages[2]?.parts).toMatchObject([
      { type: "reasoning", provider: "anthropic", signature: "sig" },
      { type: "text", providerMetadata: { anthropic: { cacheControl: { type: "ephemeral" } } } },
      { type: "tool-call", callId: "c1", toolName: "read", input: { path: "a" } },
      { type: "tool-call", callId: "c2" },
    ]);
    expect(session.messages.slice(3).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "c1", outcome: "success", content: { type: "text", text: "a" } } },
      { result: { callId: "c2", outcome: "failure", content: { type: "json", value: { code: 1 } } } },
    ]);
    for (const form of [bytes, jsonLines(model), jsonDocument({ system: "s", messages: model })])
      expect(await brokenLaws(importerLaws({ bytes: form, format: "ai-sdk" }))).toEqual([]);
  });

  it("reads results with media, denied results and version 4 field names", async () => {
    const content = {
      type: "content",
      value: [
        { type: "text", text: "see" },
        { type: "media", data: "aGk=", mediaType: "image/png" },
      ],
    };
    const old = { type: "tool-result", toolCallId: "c3", toolName: "read", result: { ok: true } };
    const denied = result({ type: "execution-denied", reason: "no" }, "c4");
    const calls = ["c1", "c3", "c4"].map((id) => ({ type: "tool-call", toolCallId: id, toolName: "read", args: {} }));
    const { messages } = await importSession(
      jsonDocument([
        { role: "assistant", content: calls },
        { role: "tool", content: [result(content), old, denied] },
      ]),
    );
    expect(messages.slice(1).map(({ parts }) => parts[0])).toMatchObject([
      {
        result: { content: { type: "blocks", blocks: [{ text: "see" }, { type: "image", source: { data: "aGk=" } }] } },
      },
      { result: { content: { type: "json", value: { ok: true } } } },
      { result: { outcome: "failure", content: { text: "no" } } },
    ]);
  });

  it("keeps provider compactions and provider-executed tool pairs as opaque parts", async () => {
    const summary = { type: "text", text: "what was", providerOptions: { anthropic: { type: "compaction" } } };
    const custom = {
      type: "custom",
      kind: "openai.compaction",
      providerOptions: { openai: { itemId: "cmp_1", encryptedContent: "blob" } },
    };
    const search = [{ ...call, providerExecuted: true }, result({ type: "json", value: [] })];
    const session = await importSession(
      jsonDocument([
        { role: "assistant", content: [summary] },
        { role: "assistant", content: [custom, ...search] },
      ]),
    );
    expect(session.messages[0]?.parts).toEqual([
      { type: "opaque", provider: "anthropic", value: { type: "compaction", content: "what was" } },
    ]);
    expect(session.messages[1]?.parts).toMatchObject([
      { provider: "openai", value: { type: "compaction", id: "cmp_1", encrypted_content: "blob" } },
      { provider: "ai-sdk", value: { type: "tool-call" } },
      { provider: "ai-sdk", value: { type: "tool-result" } },
    ]);
    expect(session.compactions.map(({ trigger }) => trigger)).toEqual(["server", "server"]);
  });
});

describe("aiSdkImporter, UIMessage[] of version 4 and earlier", () => {
  const image = { name: "a.png", contentType: "image/png", url: "data:image/png;base64,aGk=" };
  const notes = { name: "n.txt", contentType: "text/plain", url: "data:text/plain;base64,aGk=" };
  const asked = { id: "u1", role: "user", content: "look", experimental_attachments: [image, notes] };
  const invoked = (id: string, more: object) => ({ toolCallId: id, toolName: "read", args: { path: id }, ...more });
  const done = (id: string, step: number) => invoked(id, { state: "result", step, result: `text of ${id}` });
  const seen = ({ messages }: Awaited<ReturnType<typeof importSession>>) =>
    messages.map(({ role, parts }) => [role, parts.map((part) => (part.type === "text" ? part.text : part.type))]);

  it("reads calls, thoughts and attachments that stood beside the text", async () => {
    const toolInvocations = [done("c1", 0), done("c2", 0), done("c3", 1), invoked("c4", { state: "call", step: 1 })];
    const answer = { id: "a1", role: "assistant", content: "done", reasoning: "hm", toolInvocations };
    const bytes = jsonDocument([asked, answer]);
    const session = await importSession(bytes);
    expect(session.format).toBe("ai-sdk");
    expect(seen(session)).toEqual([
      ["user", ["look", "image", "hi"]],
      ["assistant", ["reasoning", "tool-call", "tool-call"]],
      ["tool", ["tool-result"]],
      ["tool", ["tool-result"]],
      ["assistant", ["tool-call", "tool-call"]],
      ["tool", ["tool-result"]],
      ["assistant", ["done"]],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "ai-sdk" }))).toEqual([]);
  });

  it("reads parts beside a content, signed thoughts among them, and each attachment once", async () => {
    const details = [
      { type: "text", text: "hm", signature: "sig" },
      { type: "redacted", data: "blob" },
    ];
    const parts = [
      { type: "step-start" },
      { type: "reasoning", reasoning: "hm", details },
      { type: "tool-invocation", toolInvocation: done("c1", 0) },
      { type: "step-start" },
      { type: "text", text: "done" },
    ];
    const file = { type: "file", mediaType: "image/png", url: image.url };
    const session = await importSession(
      jsonDocument([
        { ...asked, parts: [{ type: "text", text: "look" }, file] },
        { id: "a1", role: "assistant", content: "done", parts },
        { id: "u2", role: "user", content: "thanks", parts: [] },
      ]),
    );
    expect(seen(session)).toEqual([
      ["user", ["look", "image", "hi"]],
      ["assistant", ["reasoning", "reasoning", "tool-call"]],
      ["tool", ["tool-result"]],
      ["assistant", ["done"]],
      ["user", ["thanks"]],
    ]);
    expect(session.messages[1]?.parts).toMatchObject([
      { text: "hm", provider: "anthropic", signature: "sig" },
      { text: "", provider: "anthropic", encrypted: "blob" },
      { callId: "c1", input: { path: "c1" } },
    ]);
  });
});

describe("aiSdkImporter, UIMessage[]", () => {
  it("makes one message per step with its results, and leaves out display-only parts", async () => {
    const ui = [
      {
        id: "u1",
        role: "user",
        parts: [
          { type: "text", text: "go" },
          { type: "data-note", data: 1 },
        ],
      },
      {
        id: "a1",
        role: "assistant",
        metadata: { model: "m" },
        parts: [
          { type: "step-start" },
          { type: "text", text: "looking", state: "done" },
          {
            type: "tool-read",
            toolCallId: "c1",
            state: "output-available",
            input: { path: "a" },
            output: { text: "x" },
          },
          {
            type: "dynamic-tool",
            toolName: "run",
            toolCallId: "c2",
            state: "output-error",
            input: {},
            errorText: "no",
          },
          { type: "tool-ask", toolCallId: "c3", state: "input-available", input: {} },
          { type: "step-start" },
          { type: "source-url", url: "https://x" },
          { type: "text", text: "done" },
        ],
      },
    ];
    const bytes = jsonDocument({ id: "chat", messages: ui });
    const { format, messages } = await importSession(bytes);
    expect(format).toBe("ai-sdk");
    expect(messages.map(({ id, role, parts }) => [id, role, parts.length])).toEqual([
      ["u1", "user", 1],
      ["a1", "assistant", 4],
      ["a1.result-0", "tool", 1],
      ["a1.result-1", "tool", 1],
      ["a1.step-2", "assistant", 1],
    ]);
    expect(messages.slice(2, 4).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "c1", toolName: "read", outcome: "success", content: { value: { text: "x" } } } },
      { result: { callId: "c2", toolName: "run", outcome: "failure", content: { text: "no" } } },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "ai-sdk" }))).toEqual([]);
  });

  it("reads usage stored in message metadata, and reports invalid messages", async () => {
    const usage = { inputTokens: 90, outputTokens: 5, cachedInputTokens: 40 };
    const said = { id: "a1", role: "assistant", metadata: { usage }, parts: [{ type: "text", text: "hi" }] };
    const session = await importSession(jsonDocument([said, 7, { role: "ghost", parts: [] }]));
    expect(session.messages[0]?.usage).toEqual({ inputTokens: 90, outputTokens: 5, cacheReadTokens: 40 });
    expect(session.malformed.map(({ path }) => path)).toEqual(["/1", "/2"]);
  });
});
