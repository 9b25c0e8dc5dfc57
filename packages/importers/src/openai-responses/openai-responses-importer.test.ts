import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/import-session.ts";
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

  it("reads one item a line, pictures and files", async () => {
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

  it("keeps an item of a compaction at the provider byte for byte, and recognises it", async () => {
    const item = { type: "compaction", id: "cmp_1", encrypted_content: "blob" };
    const session = await importSession(jsonDocument({ input: [user([{ type: "input_text", text: "go" }]), item] }));
    expect(session.messages[1]?.parts).toEqual([{ type: "opaque", provider: "openai", value: item }]);
    expect(session.compactions).toEqual([{ messageId: session.messages[1]?.id, trigger: "server" }]);
  });
});
