import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonLines } from "../laws/importer-laws.ts";

const at = (second: number) => `2026-08-24T15:07:${String(second).padStart(2, "0")}.000Z`;
const text = (words: string) => ({ type: "text", text: words });
const event = (id: string, type: string, data: object, more: object = {}) => ({
  ...{ type, data, id, timestamp: at(Number(/\d+/.exec(id)?.[0] ?? 0)), parentId: null },
  ...more,
});
const begun = event("e0", "session.start", {
  ...{ sessionId: "816a9dd1", version: 1, producer: "copilot-agent", copilotVersion: "1.0.80", startTime: at(0) },
  selectedModel: "gpt-5.4",
});
const asked = event("e1", "user.message", {
  content: "support copilot",
  transformedContent:
    "<current_datetime>2026-08-24</current_datetime>\n\nsupport copilot\n\n<system_reminder>injected</system_reminder>",
  attachments: [],
});
const request = (toolCallId: string, more: object = {}) => ({
  ...{ toolCallId, name: "bash", arguments: { command: "ls" }, type: "function" },
  ...more,
});
const said = (id: string, content: string, more: object = {}, around: object = {}) =>
  event(id, "assistant.message", { messageId: `m-${id}`, content, toolRequests: [], ...more }, around);
const started = (id: string, toolCallId: string, more: object = {}) =>
  event(id, "tool.execution_start", { toolCallId, toolName: "bash", arguments: { command: "ls" }, ...more });
const ended = (id: string, toolCallId: string, content: string, more: object = {}) =>
  event(id, "tool.execution_complete", { toolCallId, success: true, result: { content }, ...more });

const log = jsonLines([
  begun,
  event("e1s", "system.message", { role: "system", content: "You are the GitHub Copilot CLI." }),
  event("e1i", "session.info", { infoType: "mcp", message: "Connected" }),
  asked,
  event("e2", "assistant.turn_start", { turnId: "0" }),
  event("e2r", "assistant.reasoning", { reasoningId: "r1", content: "I need the log." }),
  said("e3", "I look.", {
    ...{ model: "claude-haiku-4.5", outputTokens: 12, reasoningText: "I need the log.", reasoningOpaque: "ZW5j" },
    toolRequests: [request("t1"), request("t2", { name: "view", arguments: { path: "a.ts" } })],
  }),
  started("e4", "t1"),
  ended("e5", "t1", "a.txt", { result: { content: "a.txt", detailedContent: "a.txt, in full" } }),
  event("e6", "tool.execution_complete", { toolCallId: "t2", success: false, error: { message: "It is not there." } }),
  said("e7", "Done."),
  event("e8", "assistant.turn_end", { turnId: "0" }),
]);
const read = async (...records: readonly object[]) => importSession(jsonLines([begun, ...records]));
type Session = Awaited<ReturnType<typeof importSession>>;
const told = ({ messages }: Session) =>
  messages.map(({ id, role, origin, branch, parts: [part] }) => [
    ...[id, role, branch ?? origin],
    part?.type === "text" ? part.text : part?.type === "tool-result" ? part.result.content : part?.type,
  ]);

describe("copilotCliImporter", () => {
  it("reads what was typed, what Copilot added around it, answers with their thoughts, calls and results", async () => {
    const session = await importSession(log);
    expect(session).toMatchObject({
      ...{ format: "copilot-cli", threadId: "816a9dd1", model: "gpt-5.4", malformed: [], warnings: [] },
      system: ["You are the GitHub Copilot CLI."],
    });
    expect(session.messages.map(({ id, role, origin, createdAt }) => [id, role, origin, createdAt])).toEqual([
      ["e1.before", "user", "harness", at(1)],
      ["e1", "user", undefined, at(1)],
      ["e1.added", "user", "harness", at(1)],
      ["e3", "assistant", undefined, at(3)],
      ["e5", "tool", undefined, at(5)],
      ["e6", "tool", undefined, at(6)],
      ["e7", "assistant", undefined, at(7)],
    ]);
    expect(session.messages.slice(0, 3).map(({ parts }) => parts)).toEqual([
      [text("<current_datetime>2026-08-24</current_datetime>")],
      [text("support copilot")],
      [text("<system_reminder>injected</system_reminder>")],
    ]);
    expect(session.messages[3]).toMatchObject({
      model: "claude-haiku-4.5",
      metadata: { outputTokens: 12 },
      parts: [
        { type: "reasoning", provider: "copilot", text: "I need the log.", encrypted: "ZW5j" },
        text("I look."),
        { type: "tool-call", callId: "t1", toolName: "bash", input: { command: "ls" } },
        { type: "tool-call", callId: "t2", toolName: "view", input: { path: "a.ts" } },
      ],
    });
    expect(session.messages.slice(4, 6).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "t1", toolName: "bash", outcome: "success", content: text("a.txt") } },
      { result: { callId: "t2", toolName: "view", outcome: "failure", content: text("It is not there.") } },
    ]);
    expect(await brokenLaws(importerLaws({ bytes: log, format: "copilot-cli" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes: log, format: "copilot-cli" }))).toEqual([]);
  });

  it("joins the chunks of one response, with the calls of each before the results of any", async () => {
    const chunk = (index: number) => ({ apiCallId: "c1", chunkIndex: index, chunkCount: 2 });
    const session = await read(
      said("e3", "First.", { ...chunk(0), toolRequests: [request("t1")] }),
      started("e4", "t1"),
      ended("e5", "t1", "one"),
      said("e6", "Second.", { ...chunk(1), toolRequests: [request("t2")] }),
      ended("e7", "t2", "two"),
      said("e8", "Third.", { apiCallId: "c2" }),
    );
    expect(session.messages.map(({ id, parts }) => [id, ...parts.map(({ type }) => type)])).toEqual([
      ["e3", "text", "tool-call", "text", "tool-call"],
      ["e5", "tool-result"],
      ["e7", "tool-result"],
      ["e8", "text"],
    ]);
    expect(session.messages[0]?.metadata).toMatchObject({ source: { line: 2, lines: [2, 5] } });
  });

  it("puts what sub-agents said on branches, by their own ids or by the call that began them", async () => {
    const session = await read(
      said("e3", "", { toolRequests: [request("t1", { name: "task" })] }),
      event("e4", "subagent.started", { toolCallId: "t1", agentName: "explore" }, { agentId: "t1" }),
      event("e5", "user.message", { content: "Explore." }, { agentId: "t1" }),
      said("e6", "Explored.", {}, { agentId: "t1" }),
      said("e7", "Older.", { parentToolCallId: "t1" }),
      ended("e8", "t1", "Explored."),
    );
    expect(session.messages.map(({ id, branch }) => [id, branch])).toEqual([
      ["e3", undefined],
      ["e5", "sidechain/t1"],
      ["e6", "sidechain/t1"],
      ["e7", "sidechain/t1"],
      ["e8", undefined],
    ]);
    expect(session.warnings).toEqual([]);
  });

  it("takes a call from its execution when no answer in the log asks for it, and a user's own command as such", async () => {
    const session = await read(
      started("e3", "t1"),
      ended("e4", "t1", "a.txt"),
      event("e5", "tool.user_requested", { toolCallId: "t2", toolName: "local_shell", arguments: { command: "pwd" } }),
      started("e6", "t2", { toolName: "local_shell", arguments: { command: "pwd" } }),
      ended("e7", "t2", "/src", { isUserRequested: true }),
    );
    expect(told(session)).toEqual([
      ["e3", "assistant", undefined, "tool-call"],
      ["e4", "tool", undefined, text("a.txt")],
      ["e7", "user", "harness", "$ pwd\n/src"],
    ]);
    expect(session.messages[0]?.parts).toMatchObject([{ callId: "t1", toolName: "bash", input: { command: "ls" } }]);
  });

  it("knows whose words a message has", async () => {
    const message = (id: string, content: string, more: object = {}) => event(id, "user.message", { content, ...more });
    const session = await read(
      message("e1", "typed", { source: "user" }),
      message("e2", "<skill-context>pdf</skill-context>", { source: "skill-pdf" }),
      message("e3", "Go on.", { isAutopilotContinuation: true }),
      message("e4", "from another", { source: "agent-7" }),
      message("e5", "shown", { transformedContent: "All of it is different." }),
      message("e6", "from another session", { crossSession: { version: 1, origin: "authenticated-cross-session" } }),
    );
    expect(told(session)).toEqual([
      ["e1", "user", undefined, "typed"],
      ["e2", "user", "harness", "<skill-context>pdf</skill-context>"],
      ["e3", "user", "harness", "Go on."],
      ["e4", "user", "harness", "from another"],
      ["e5", "user", undefined, "shown"],
      ["e5.added", "user", "harness", "All of it is different."],
      ["e6", "user", "harness", "from another session"],
    ]);
  });

  it("reads notifications and skills once, wherever they are", async () => {
    const notice = (id: string, content: string) => event(id, "system.notification", { content, kind: { type: "x" } });
    const skill = (id: string, content: string) =>
      event(id, "skill.invoked", { name: "pdf", path: "/SKILL.md", content });
    const session = await read(
      notice("e1", "<system_notification>One is done.</system_notification>"),
      said("e2", "Good."),
      notice("e3", "<system_notification>Two is done.</system_notification>"),
      skill("e4", "How to read a PDF."),
      event("e5", "user.message", {
        ...{ source: "system", content: "<system_notification>Two is done.</system_notification>" },
      }),
      event("e6", "user.message", {
        source: "skill-pdf",
        content: "<skill-context>How to read a PDF.</skill-context>",
      }),
      notice("e7", "Discovered instruction: sub/AGENTS.md"),
      skill("e8", "How to write one."),
    );
    expect(told(session)).toEqual([
      ["e1", "user", "harness", "<system_notification>One is done.</system_notification>"],
      ["e2", "assistant", undefined, "Good."],
      ["e5", "user", "harness", "<system_notification>Two is done.</system_notification>"],
      ["e6", "user", "harness", "<skill-context>How to read a PDF.</skill-context>"],
      ["e8", "user", "harness", "How to write one."],
    ]);
  });

  it("reads pictures and documents, whose bytes may be in an event of their own", async () => {
    const asset = { assetId: "sha256:a", byteLength: 2, data: "aGk=", mimeType: "image/png", type: "image" };
    const session = await read(
      event("e1", "session.binary_asset", asset),
      event("e2", "user.message", {
        content: "look",
        attachments: [
          { type: "blob", assetId: "sha256:a", mimeType: "image/png", displayName: "a.png" },
          { type: "file", path: "/b.pdf", displayName: "b.pdf", assetId: "sha256:gone" },
          { type: "selection", filePath: "/c.ts", displayName: "c.ts", text: "const c = 1;", selection: {} },
          { type: "blob", mimeType: "application/pdf", data: "JVBERg==" },
        ],
      }),
      said("e3", "", { toolRequests: [request("t1", { name: "view" })] }),
      ended("e4", "t1", "An image.", {
        result: {
          content: "An image.",
          binaryResultsForLlm: [
            { type: "image", mimeType: "image/png", assetId: "sha256:a", byteLength: 2 },
            { type: "image", mimeType: "image/png", omittedReason: "too_large", byteLength: 9 },
          ],
        },
      }),
    );
    const picture = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "aGk=" } };
    expect(session.messages.slice(0, 2).map(({ id, parts }) => [id, parts])).toEqual([
      [
        "e2",
        [
          text("look"),
          { ...picture, name: "a.png" },
          { type: "file", source: { kind: "base64", mediaType: "application/pdf", data: "JVBERg==" } },
        ],
      ],
      ["e2.added", [text("/b.pdf"), text("/c.ts\n\nconst c = 1;")]],
    ]);
    expect(session.messages[3]?.parts).toMatchObject([
      { result: { content: { type: "blocks", blocks: [text("An image."), picture] } } },
    ]);
  });

  it("keeps the provider's own blocks of thoughts and of tools that it ran", async () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };
    const search = { type: "server_tool_use", id: "s1", name: "web_search", input: {} };
    const session = await read(
      said("e1", "a", {
        reasoningText: "hm",
        reasoningBlocks: { provider: "anthropic", blocks: [thinking] },
        serverTools: { provider: "anthropic", rawContentBlocks: [thinking, search, { type: "text", text: "a" }] },
      }),
      said("e2", "b", {
        reasoningBlocks: { provider: "openai", blocks: [{ type: "reasoning", id: "rs_1", encrypted_content: "ZW5j" }] },
      }),
      said("e3", "c", { encryptedContent: "ZW5j" }),
    );
    expect(session.messages.map(({ parts }) => parts)).toMatchObject([
      [
        { type: "reasoning", provider: "anthropic", text: "hm", signature: "c2ln" },
        { type: "opaque", provider: "anthropic", value: search },
        text("a"),
      ],
      [{ type: "reasoning", provider: "openai", encrypted: "ZW5j" }, text("b")],
      [{ type: "reasoning", provider: "copilot", text: "", encrypted: "ZW5j" }, text("c")],
    ]);
  });

  it("reads compactions that succeeded, with what was said while they ran, and what was cleared", async () => {
    const session = await read(
      said("e1", "old"),
      event("e2", "session.compaction_start", {}),
      event("e3", "user.message", { content: "meanwhile" }),
      event("e4", "session.compaction_complete", { success: false, error: "unavailable" }),
      event("e5", "session.compaction_start", {}),
      event("e6", "user.message", { content: "again" }),
      event("e7", "session.compaction_complete", {
        ...{ success: true, summaryContent: "What was done.", preCompactionTokens: 180_000, messagesRemoved: 42 },
        trigger: "threshold",
      }),
      event("e8", "user.message", { content: "on" }),
    );
    expect(told(session).slice(3)).toEqual([
      ["e7", "user", "compaction", "What was done."],
      ["e8", "user", undefined, "on"],
    ]);
    expect(session.compactions).toEqual([
      {
        ...{ messageId: "e7", firstKeptMessageId: "e6", tokensBefore: 180_000, trigger: "threshold" },
        details: { messagesRemoved: 42 },
      },
    ]);
    const cleared = await read(
      said("e1", "old"),
      event("e2", "session.context_cleared", { messagesCleared: 1, initialMessage: "Begin here." }),
      said("e3", "new"),
    );
    expect(told(cleared)).toEqual([
      ["e1", "assistant", "cleared", "old"],
      ["e2", "user", "harness", "Begin here."],
      ["e3", "assistant", undefined, "new"],
    ]);
  });

  it("reads what `copilot --output-format json` prints, with usage, and leaves out what was only streamed", async () => {
    const transient = { ephemeral: true };
    const bytes = jsonLines([
      { type: "session.tools_updated", data: { model: "gpt-5.4" }, ...transient },
      { type: "user.message", data: { content: "Say hi." }, timestamp: at(1) },
      { type: "assistant.message_delta", data: { messageId: "m1", deltaContent: "hi" }, ...transient },
      { type: "assistant.message", data: { messageId: "m1", content: "hi", apiCallId: "c1" }, timestamp: at(2) },
      {
        type: "assistant.usage",
        data: { model: "gpt-5.4", apiCallId: "c1", inputTokens: 900, outputTokens: 7, cacheReadTokens: 600 },
        ...transient,
      },
      { type: "result", sessionId: "abc-123", exitCode: 0, usage: { premiumRequests: 1 } },
    ]);
    const session = await importSession(bytes);
    expect([session.format, session.threadId, session.malformed, session.warnings]).toEqual([
      ...["copilot-cli", "abc-123", [], []],
    ]);
    expect(session.messages).toMatchObject([
      { role: "user", parts: [text("Say hi.")] },
      { role: "assistant", usage: { inputTokens: 900, outputTokens: 7, cacheReadTokens: 600 }, parts: [text("hi")] },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "copilot-cli" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "copilot-cli" }))).toEqual([]);
  });

  it("reports events that it does not know, and events without data", async () => {
    const session = await read(asked, event("e2", "assistant.dream", { content: "?" }), { type: "user.message" });
    expect(session.warnings).toEqual([{ kind: "unknown-record", type: "assistant.dream", count: 1, firstLine: 3 }]);
    expect(session.malformed).toMatchObject([{ line: 4 }]);
  });
});
