import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonDocument } from "../laws/importer-laws.ts";

const result = (content: unknown) => ({ type: "tool_result", tool_use_id: "t1", name: "read_files", content });
const bytes = jsonDocument({
  version: "1",
  sessionId: "s-1",
  system_prompt: "be brief",
  messages: [
    {
      id: "m1",
      role: "user",
      ts: 1_783_376_868_634,
      content: [
        { type: "text", text: "look" },
        { type: "file", path: "/a.ts", content: "const a = 1;" },
      ],
    },
    {
      id: "m2",
      role: "assistant",
      ts: 1_783_376_873_493,
      content: [{ type: "tool_use", id: "t1", name: "read_files", input: { files: [] } }],
      modelInfo: { id: "claude" },
      metrics: { inputTokens: 900, outputTokens: 7, cacheReadTokens: 600, cacheWriteTokens: 0 },
    },
    {
      id: "m3",
      role: "user",
      ts: 1_783_376_873_501,
      content: [result([{ query: "/a.ts", result: "", success: false }])],
    },
  ],
});

describe("clineImporter", () => {
  it("keeps Cline's ids, times, session and model, and includes the cache in the input once", async () => {
    const session = await importSession(bytes);
    expect([session.format, session.threadId, session.system]).toEqual(["cline", "s-1", ["be brief"]]);
    expect(session.messages.map(({ id, role, createdAt }) => [id, role, createdAt])).toEqual([
      ["m1", "user", "2026-07-06T22:27:48.634Z"],
      ["m2", "assistant", "2026-07-06T22:27:53.493Z"],
      ["m3", "tool", "2026-07-06T22:27:53.501Z"],
    ]);
    expect(session.messages[1]).toMatchObject({
      model: "claude",
      usage: { inputTokens: 900, outputTokens: 7, cacheReadTokens: 600, cacheWriteTokens: 0 },
    });
    expect(await brokenLaws(importerLaws({ bytes, format: "cline" }))).toEqual([]);
  });

  it("reads a file mentioned by the user as the text that the model reads", async () => {
    const { messages } = await importSession(bytes);
    expect(messages[0]?.parts[1]).toEqual({
      type: "text",
      text: '<file_content path="/a.ts">\nconst a = 1;\n</file_content>',
    });
  });

  it("keeps a result that is a list of objects as JSON, and marks it failed if every entry failed", async () => {
    const { messages } = await importSession(bytes);
    expect(messages[2]?.parts).toEqual([
      {
        type: "tool-result",
        result: {
          callId: "t1",
          toolName: "read_files",
          outcome: "failure",
          content: { type: "json", value: [{ query: "/a.ts", result: "", success: false }] },
        },
      },
    ]);
  });
});
