import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const at = (second: number) => `2026-03-01T10:00:${String(second).padStart(2, "0")}.000Z`;
const header = { sessionId: "chat-1", projectHash: "ab12", startTime: at(0), lastUpdated: at(0), kind: "main" };
const asked = { id: "u1", timestamp: at(1), type: "user", content: [{ text: "Which version is it?" }] };
const tokens = { input: 900, output: 20, cached: 600, thoughts: 5, tool: 0, total: 925 };
const answering = { id: "g1", timestamp: at(2), type: "gemini", content: "", model: "gemini-3-pro", tokens };
const call = (id: string, status: string, response: unknown, more: readonly unknown[] = []) => ({
  ...{ id, name: "read_file", args: { path: "package.json" }, status, timestamp: at(3), displayName: "ReadFile" },
  result: [{ functionResponse: { id, name: "read_file", response } }, ...more],
});
const called = {
  ...answering,
  thoughts: [{ subject: "Looking it up", description: "It is in the manifest.", timestamp: at(2) }],
  toolCalls: [
    call("c1", "success", { output: '{"version":"1.2.3"}' }),
    call("c2", "error", { output: "It is not there." }),
    { id: "c3", name: "shell", args: {}, status: "cancelled", timestamp: at(3) },
  ],
};
const said = { id: "g2", timestamp: at(5), type: "gemini", content: "It is 1.2.3.", thoughts: [], tokens: null };
const shown = { id: "i1", timestamp: at(4), type: "info", content: "Update available." };

const document = jsonDocument({ ...header, messages: [asked, called, shown, said] });
const lines = jsonLines([
  header,
  asked,
  { $set: { lastUpdated: at(1) } },
  answering,
  called,
  shown,
  said,
  { $set: { summary: "A version" } },
]);

describe("geminiCliImporter", () => {
  it.each([
    ["one document", document],
    ["one record per line", lines],
  ])("reads %s: thoughts, calls with their results, usage and model", async (_, bytes) => {
    const session = await importSession(bytes);
    expect([session.format, session.threadId, session.model]).toEqual(["gemini-cli", "chat-1", "gemini-3-pro"]);
    expect(session.messages.map(({ id, role, createdAt }) => [id, role, createdAt])).toEqual([
      ["u1", "user", at(1)],
      ["g1", "assistant", at(2)],
      ["g1-0-result", "tool", at(3)],
      ["g1-1-result", "tool", at(3)],
      ["g2", "assistant", at(5)],
    ]);
    expect(session.messages[0]?.parts).toEqual([{ type: "text", text: "Which version is it?" }]);
    expect(session.messages[1]).toMatchObject({
      usage: { inputTokens: 900, outputTokens: 25, cacheReadTokens: 600, reasoningTokens: 5 },
      parts: [
        { type: "reasoning", provider: "google", text: "**Looking it up**\nIt is in the manifest." },
        { type: "tool-call", callId: "c1", toolName: "read_file", input: { path: "package.json" } },
        { type: "tool-call", callId: "c2" },
        { type: "tool-call", callId: "c3", toolName: "shell" },
      ],
    });
    expect(session.messages.slice(2, 4).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "c1", outcome: "success", content: { type: "text", text: '{"version":"1.2.3"}' } } },
      { result: { callId: "c2", outcome: "failure" } },
    ]);
    expect(session.nonPrompt.map(({ kind }) => kind)).toContain("info");
    expect(await brokenLaws([...importerLaws({ bytes, format: "gemini-cli" })])).toEqual([]);
    expect(await brokenLaws([...damageLaws({ bytes, format: "gemini-cli" })])).toEqual([]);
  });

  it("uses the last line of a message, and names all its lines as source", async () => {
    const { messages } = await importSession(lines);
    expect(messages.filter(({ id }) => id === "g1")).toHaveLength(1);
    expect(messages[1]?.metadata).toMatchObject({ source: { line: 4, lines: [4, 5] } });
  });

  it("puts rewound messages on a separate branch", async () => {
    const again = { ...asked, id: "u2", content: "Which licence?" };
    const { messages } = await importSession(jsonLines([header, asked, called, said, { $rewindTo: "g1" }, again]));
    const branches = messages.map(({ id, branch }) => [id, branch ?? null]);
    expect(branches.filter(([, branch]) => branch === null)).toEqual([
      ["u1", null],
      ["u2", null],
    ]);
    const unknown = await importSession(jsonLines([header, asked, { $rewindTo: "gone" }, again]));
    expect(unknown.messages.map(({ id, branch }) => [id, branch])).toEqual([
      ["u1", "rewound"],
      ["u2", undefined],
    ]);
  });

  it("keeps parts sent beside a function response, and does not duplicate calls found among the parts", async () => {
    const picture = { inlineData: { mimeType: "image/png", data: "aGk=" } };
    const parts = [{ text: "I look." }, { functionCall: { id: "c1", name: "read_file", args: {} } }];
    const answer = { ...called, content: parts, toolCalls: [call("c1", "success", { output: "ok" }, [picture])] };
    const { messages } = await importSession(jsonDocument({ ...header, messages: [asked, answer] }));
    const calls = messages.flatMap((message) => message.parts.filter(({ type }) => type === "tool-call"));
    expect(calls).toHaveLength(1);
    expect(messages.at(-1)).toMatchObject({ role: "user", origin: "harness", parts: [{ type: "image" }] });
  });

  it("reads several sessions, one per line, as threads", async () => {
    const other = { ...header, sessionId: "chat-2", messages: [{ ...asked, content: "Other." }] };
    const bytes = jsonLines([{ ...header, messages: [asked, said] }, other]);
    expect((await importSession(bytes, { thread: "chat-2" })).messages).toHaveLength(1);
  });
});
