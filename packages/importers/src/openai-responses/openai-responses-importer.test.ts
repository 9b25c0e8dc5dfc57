import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const user = (content: unknown) => ({ type: "message", role: "user", content });
const call = {
  type: "function_call",
  id: "fc_1",
  call_id: "c1",
  name: "read",
  arguments: '{"path":"a"}',
  status: "completed",
};
const result = { type: "function_call_output", call_id: "c1", output: "text of a" };

describe("openaiResponsesImporter", () => {
  it("reads a request and a response alike, with instructions, tools and usage", async () => {
    const bytes = jsonDocument({
      object: "response",
      model: "gpt-5",
      instructions: "be brief",
      tools: [{ type: "function", name: "read", parameters: { type: "object" }, strict: true }],
      input: [user("go"), call, result],
      output: [
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          content: [{ type: "output_text", text: "done", annotations: [] }],
        },
      ],
      usage: { input_tokens: 90, input_tokens_details: { cached_tokens: 40 }, output_tokens: 7 },
    });
    const session = await importSession(bytes);
    expect(session).toMatchObject({ format: "openai-responses", system: ["be brief"], model: "gpt-5" });
    expect(session.tools.map(({ name }) => name)).toEqual(["read"]);
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(session.messages[1]?.parts).toMatchObject([
      { providerMetadata: { openai: { itemId: "fc_1", status: "completed" } }, input: { path: "a" } },
    ]);
    expect(session.messages[3]).toMatchObject({
      parts: [{ type: "text", text: "done", providerMetadata: { openai: { itemId: "msg_1" } } }],
      usage: { inputTokens: 90, cacheReadTokens: 40, outputTokens: 7 },
      metadata: { source: { line: 1, path: "/output/0" } },
    });
    expect(await brokenLaws(importerLaws({ bytes, format: "openai-responses" }))).toEqual([]);
  });

  it("reads one item per line, with images and files", async () => {
    const content = [
      { type: "input_text", text: "see" },
      { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "low" },
      { type: "input_file", file_id: "file_1", filename: "a.pdf" },
    ];
    const bytes = jsonLines([user(content), call, result]);
    const { messages } = await importSession(bytes);
    expect(messages[0]?.parts).toEqual([
      { type: "text", text: "see" },
      {
        type: "image",
        source: { kind: "base64", mediaType: "image/png", data: "aGk=" },
        providerMetadata: { openai: { detail: "low" } },
      },
      { type: "file", source: { kind: "file-id", fileId: "file_1" }, name: "a.pdf" },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "openai-responses" }))).toEqual([]);
  });

  it("reads namespaced, provider-executed and host-side search tools", async () => {
    const fields = { description: "Lists orders.", parameters: { type: "object", properties: {} } };
    const orders = { type: "function", name: "orders", ...fields, defer_loading: true };
    const crm = { type: "namespace", name: "crm", description: "Customers.", tools: [orders] };
    const search = { type: "tool_search_call", execution: "client", call_id: "s1", arguments: {} };
    const found = { type: "tool_search_output", execution: "client", call_id: "s1", tools: [crm] };
    const called = { ...call, name: "orders", namespace: "crm" };
    const tools = [{ type: "tool_search" }, { type: "mcp", server_label: "wiki", defer_loading: true }, crm];
    const session = await importSession(
      jsonDocument({ tools, input: [user("go"), search, found, called, result, search, found] }),
    );
    expect(session.tools).toEqual([
      { name: "tool_search", inputSchema: { type: "object" }, providerMetadata: { openai: { type: "tool_search" } } },
      {
        name: "wiki",
        inputSchema: { type: "object" },
        providerMetadata: { openai: { type: "mcp", server_label: "wiki", defer_loading: true } },
      },
      {
        name: "orders",
        description: "Lists orders.",
        inputSchema: fields.parameters,
        providerMetadata: {
          openai: {
            type: "function",
            defer_loading: true,
            namespace: { name: "crm", description: "Customers." },
          },
        },
      },
    ]);
    // What the host found is no part of the answer before it, nor of the one behind it.
    expect(session.messages.map(({ parts }) => parts.map((part) => part.type))).toEqual([
      ["text"],
      ["opaque"],
      ["opaque"],
      ["tool-call"],
      ["tool-result"],
      ["opaque"],
      ["opaque"],
    ]);
    expect(session.messages[3]?.parts[0]).toMatchObject({ providerMetadata: { openai: { namespace: "crm" } } });
  });

  it.each(["id", "call_id"])("matches a local shell's result to its call by `%s`", async (field) => {
    const action = { type: "exec", command: ["ls"], env: {} };
    const shell = { type: "local_shell_call", id: "lsh_1", call_id: "c2", status: "completed", action };
    const answer = { type: "local_shell_call_output", [field]: "c2", output: "a.ts" };
    const { messages } = await importSession(jsonDocument({ input: [user("go"), shell, answer] }));
    expect(messages[2]?.parts).toMatchObject([{ result: { callId: "c2", toolName: "local_shell" } }]);
  });

  it("recognizes a provider compaction item and keeps it byte for byte", async () => {
    const item = { type: "compaction", id: "cmp_1", encrypted_content: "blob" };
    const session = await importSession(jsonDocument({ input: [user([{ type: "input_text", text: "go" }]), item] }));
    expect(session.messages[1]?.parts).toEqual([{ type: "opaque", provider: "openai", value: item }]);
    expect(session.compactions).toEqual([{ messageId: session.messages[1]?.id, trigger: "server" }]);
  });
});
