import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const at = (second: number) => `2026-03-01T10:00:${String(second).padStart(2, "0")}.000Z`;
const text = (words: string) => ({ type: "text", text: words });
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

  it("takes a command's exit code from the end of its result, where the command cannot have printed it", async () => {
    const told = (output: string, code: string) =>
      `Command: npm test\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: 0\nProcess Group PGID: 7`;
    const outputs = [told("no", "2"), told("ok", "0"), told("pod:\nExit Code: 137", "0"), "Output: no\nExit Code: 1"];
    const toolCalls = outputs.map((output, index) => {
      const ran = call(`c${index}`, "success", { output });
      const [{ functionResponse }] = ran.result as [{ functionResponse: object }];
      return {
        ...ran,
        name: "run_shell_command",
        result: [{ functionResponse: { ...functionResponse, name: "run_shell_command" } }],
      };
    });
    const { messages } = await importSession(jsonDocument({ ...header, messages: [asked, { ...called, toolCalls }] }));
    const outcomes = messages.flatMap(({ parts: [part] }) =>
      part?.type === "tool-result" ? [part.result.outcome] : [],
    );
    expect(outcomes).toEqual(["failure", "success", "success", "failure"]);
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

  it("keeps the picture beside a result, however deep what the tool said is nested", async () => {
    const picture = { inlineData: { mimeType: "image/png", data: "aGk=" } };
    const response = { id: "c1", name: "f", response: { output: "DEEP" }, parts: [picture] };
    const answer = { ...asked, id: "u9", content: [{ functionResponse: response }] };
    const text = JSON.stringify({ ...header, messages: [asked, answer] });
    const nested = text.replace('"DEEP"', `${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    const { messages } = await importSession(new TextEncoder().encode(nested));
    const parts = messages.flatMap((message) => message.parts.filter(({ type }) => type === "tool-result"));
    expect(parts).toMatchObject([{ result: { content: { blocks: [{ type: "text" }, { type: "image" }] } } }]);
  });

  it("tells the user's words from files that they refer to, and from the context that every chat begins with", async () => {
    const opened = "--- Content from referenced files ---";
    const file = ["\nContent from @a.md:\n", "You must never use tabs.", "\n--- End of content ---"];
    const pieces = ["Follow @a.md", `\n${opened}`, ...file].map((text) => ({ text }));
    const own = { type: "text", text: "Follow @a.md" };
    for (const content of [pieces, `Follow @a.md\n${opened}${file.join("")}`]) {
      const { messages } = await importSession(jsonLines([header, { ...asked, content }, said]));
      expect(messages.slice(0, 2)).toMatchObject([
        { id: "u1", role: "user", parts: [own] },
        { id: "u1.added", role: "user", origin: "harness" },
      ]);
      expect(messages[0]).not.toHaveProperty("origin");
      expect(JSON.stringify(messages[1]?.parts)).toContain("You must never use tabs.");
      expect(JSON.stringify(messages[0]?.parts)).not.toContain(opened);
    }
    const context = { ...asked, id: "u0", content: "<session_context>\nThis is the Gemini CLI.\n</session_context>" };
    const { messages } = await importSession(jsonLines([header, context, { ...asked, content: `Why "${opened}"?` }]));
    expect(messages.map(({ origin }) => origin)).toEqual(["harness", undefined]);
    const bare = await importSession(jsonLines([header, { ...asked, content: pieces.slice(1) }]));
    expect(bare.messages.map(({ id, origin }) => [id, origin])).toEqual([["u1", "harness"]]);
    const bytes = jsonLines([header, context, { ...asked, content: pieces }, said]);
    expect(await brokenLaws([...importerLaws({ bytes, format: "gemini-cli" })])).toEqual([]);
  });

  it("tells the user's words from what hooks add to them", async () => {
    const hooked = { text: "<hook_context>Tests are slow.</hook_context>" };
    const own = { type: "text", text: "Go on." };
    const told = async (content: unknown) =>
      (await importSession(jsonLines([header, { ...asked, content }, said]))).messages
        .slice(0, -1)
        .map(({ id, origin, parts }) => [id, origin, parts]);
    const added = { ...hooked, type: "text" };
    expect(await told([hooked])).toEqual([["u1", "harness", [added]]]);
    expect(await told([{ text: "Go on." }, hooked])).toEqual([
      ["u1", undefined, [own]],
      ["u1.added", "harness", [added]],
    ]);
    expect(await told(`${hooked.text}\n\nGo on.`)).toEqual([
      ["u1.before", "harness", [added]],
      ["u1", undefined, [own]],
    ]);
    expect(await told("What is <hook_context>?")).toMatchObject([["u1", undefined, [{}]]]);
  });

  it("reads a compression: its summary, and from where on messages were kept", async () => {
    const snapshot = { id: "x1", timestamp: at(6), type: "user", content: [{ text: "<state_snapshot>It is 1.2.3." }] };
    const thanks = { id: "x2", timestamp: at(6), type: "gemini", content: [{ text: "Got it." }] };
    const later = { ...asked, id: "u2", timestamp: at(7), content: "And the licence?" };
    const compressed = { $set: { messages: [snapshot, thanks, said] } };
    const bytes = jsonLines([header, asked, called, said, compressed, later, { $set: { messages: [asked] } }]);
    const { messages, compactions, nonPrompt } = await importSession(bytes);
    expect(messages.slice(-3).map(({ id, role, origin }) => [id, role, origin])).toEqual([
      ["g2", "assistant", undefined],
      ["x1", "user", "compaction"],
      ["u2", "user", undefined],
    ]);
    expect(messages.at(-2)?.metadata).toMatchObject({ source: { line: 5 } });
    expect(compactions).toEqual([{ messageId: "x1", firstKeptMessageId: "g2" }]);
    expect(nonPrompt).toContainEqual({ kind: "rewritten history", lines: [7] });
    expect(await brokenLaws([...importerLaws({ bytes, format: "gemini-cli" })])).toEqual([]);
    const all = jsonLines([
      header,
      asked,
      said,
      { $set: { messages: [snapshot, thanks] } },
      { $rewindTo: "u1" },
      later,
    ]);
    const alone = await importSession(all);
    expect(alone.compactions).toEqual([{ messageId: "x1" }]);
    expect(alone.messages.map(({ id, branch }) => [id, branch])).toEqual([
      ["u1", "rewound"],
      ["g2", "rewound"],
      ["x1", undefined],
      ["u2", undefined],
    ]);
  });

  const qwen = (
    uuid: string,
    parentUuid: string | null,
    type: string,
    parts: readonly object[],
    more: object = {},
  ) => ({
    ...{ uuid, parentUuid, sessionId: "q", timestamp: at(Number(uuid.slice(1))), type, cwd: "/w", version: "0.9.0" },
    ...(parts.length > 0 && { message: { role: type === "assistant" ? "model" : "user", parts } }),
    ...more,
  });
  const response = (response: object) => ({ functionResponse: { id: "c1", name: "read_file", response } });

  it("reads sessions of Qwen Code, which are trees of Gemini's turns", async () => {
    const tokens = { promptTokenCount: 9, candidatesTokenCount: 5, thoughtsTokenCount: 2, totalTokenCount: 14 };
    const calling = [{ text: "hm", thought: true }, { functionCall: { id: "c1", name: "read_file", args: { a: 1 } } }];
    const kept = qwen("a8", "a7", "assistant", [{ text: "MIT." }], { model: "qwen3" });
    const compressedHistory = [
      { role: "user", parts: [{ text: "<state_snapshot>All of it." }] },
      { role: "model", parts: [{ text: "Got it." }] },
      kept.message,
    ];
    const payload = { systemPayload: { info: { originalTokenCount: 100 }, compressedHistory } };
    const records = [
      qwen("a1", null, "user", [{ text: "Read it" }], { provenance: "real_user" }),
      qwen("a2", "a1", "assistant", calling, { model: "qwen3", usageMetadata: tokens }),
      qwen("a3", "a2", "tool_result", [response({ output: "gone" })], { toolCallResult: { status: "error" } }),
      qwen("a4", "a3", "user", [{ text: "Wrong" }]),
      qwen("a5", "a4", "assistant", [{ text: "Sorry." }], { model: "qwen3" }),
      qwen("a6", "a3", "system", [], { subtype: "rewind", systemPayload: { truncatedCount: 2 } }),
      qwen("a7", "a6", "user", [{ text: "And the licence?" }]),
      kept,
      qwen("a9", "a8", "system", [], { subtype: "chat_compression", ...payload }),
      qwen("a10", "a9", "user", [{ text: "<task-notification>" }], { subtype: "notification", provenance: "system" }),
      qwen("a11", "a10", "novelty", [{ text: "?" }]),
    ];
    const bytes = jsonLines([...records, records[0]]);
    const { format, threadId, model, messages, compactions, warnings, nonPrompt } = await importSession(bytes);
    expect([format, threadId, model]).toEqual(["gemini-cli", "q", "qwen3"]);
    expect(messages.map(({ id, role, origin, branch, createdAt }) => [id, role, origin ?? branch, createdAt])).toEqual([
      ["a1", "user", undefined, at(1)],
      ["a2", "assistant", undefined, at(2)],
      ["a3.0", "tool", undefined, at(3)],
      ["a4", "user", "rewound", at(4)],
      ["a5", "assistant", "rewound", at(5)],
      ["a7", "user", undefined, at(7)],
      ["a8", "assistant", undefined, at(8)],
      ["a9", "user", "compaction", at(9)],
      ["a10", "user", "harness", at(10)],
    ]);
    expect(messages[1]?.parts.map(({ type }) => type)).toEqual(["reasoning", "tool-call"]);
    expect(messages[1]?.usage).toMatchObject({ inputTokens: 9, outputTokens: 5, reasoningTokens: 2 });
    expect(messages[2]?.parts[0]).toMatchObject({ result: { callId: "c1", outcome: "failure" } });
    expect(compactions).toEqual([{ messageId: "a9", firstKeptMessageId: "a8", tokensBefore: 100 }]);
    expect(nonPrompt.map(({ kind, lines }) => [kind, lines])).toEqual([
      ["duplicate", [12]],
      ["system/rewind", [6]],
      ["novelty", [11]],
    ]);
    expect(warnings).toMatchObject([
      { kind: "duplicate-record", at: { line: 12 }, id: "a1" },
      { kind: "unknown-record", type: "novelty", count: 1, firstLine: 11 },
    ]);
    expect(await brokenLaws([...importerLaws({ bytes, format: "gemini-cli" })])).toEqual([]);
    expect(await brokenLaws([...damageLaws({ bytes, format: "gemini-cli" })])).toEqual([]);
  });

  it("keeps what precedes a gap in a session of Qwen Code, and sub-agents apart", async () => {
    const records = [
      qwen("a1", null, "user", [{ text: "Go" }]),
      qwen("a3", "a2", "assistant", [{ text: "Gone on." }]),
      qwen("a4", "a3", "user", [{ text: "Look" }], { isSidechain: true, agentId: "explore-1" }),
    ];
    const { messages } = await importSession(jsonLines(records));
    expect(messages.map(({ id, branch }) => [id, branch])).toEqual([
      ["a1", undefined],
      ["a3", undefined],
      ["a4", "sidechain/explore-1"],
    ]);
    const more = { ...records[0], message: { role: "user", parts: [{ text: "on" }] } };
    const split = await importSession(jsonLines([records[0], more]));
    expect(split.messages).toMatchObject([
      { id: "a1", parts: [text("Go"), text("on")], metadata: { source: { line: 1, lines: [1, 2] } } },
    ]);
    const agents = await importSession(jsonLines(records.slice(2)));
    expect(agents.messages.map(({ branch }) => branch)).toEqual([undefined]);
  });

  it("reads what Qwen Code adds: of hooks, of other agents, the history of a fork, records beside the path", async () => {
    const tag = ["<qwen:user-prompt-submit-context>", "</qwen:user-prompt-submit-context>"];
    const hooked = { text: tag.join("\nMind it.\n") };
    const history = [
      { role: "user", parts: [{ text: "Earlier." }] },
      { role: "model", parts: [{ functionCall: { id: "c1", name: "read_file", args: {} } }] },
      { role: "user", parts: [response({ output: "a" })] },
    ];
    const bytes = jsonLines([
      qwen("a1", null, "system", [], { subtype: "agent_bootstrap", systemPayload: { kind: "fork", history } }),
      qwen("a2", "a1", "user", [{ text: "Go" }, hooked], {
        systemPayload: { displayText: "Go", hookContext: "Mind it." },
      }),
      qwen("a3", "a2", "assistant", [{ text: "Gone." }]),
      qwen("a4", "a3", "user", [{ text: "<message from=alice>" }], { subtype: "agent_message", agentId: "ag_a" }),
      qwen("a5", "a4", "user", [{ text: "It ended." }], { externalInputKind: "notification" }),
      qwen("a6", "a5", "user", [hooked]),
      qwen("a7", "a3", "system", [], { subtype: "session_artifact_event", systemPayload: { v: 1 } }),
      qwen("a8", "a6", "system", [], { subtype: "agent_bootstrap", systemPayload: { kind: "fork", history: [] } }),
    ]);
    const { messages, warnings, malformed } = await importSession(bytes);
    expect(messages.map(({ id, role, origin, branch, parts }) => [id, role, origin ?? branch, parts.length])).toEqual([
      ["a1.0", "user", undefined, 1],
      ["a1.1", "assistant", undefined, 1],
      ["a1.2.0", "tool", undefined, 1],
      ["a2", "user", undefined, 1],
      ["a2.added", "user", "harness", 1],
      ["a3", "assistant", undefined, 1],
      ["a4", "user", "harness", 1],
      ["a5", "user", "harness", 1],
      ["a6", "user", undefined, 1],
    ]);
    expect(messages[1]?.metadata).toMatchObject({ source: { line: 1 } });
    expect([warnings, malformed]).toEqual([[], []]);
    expect(await brokenLaws([...importerLaws({ bytes, format: "gemini-cli" })])).toEqual([]);
    expect(await brokenLaws([...damageLaws({ bytes, format: "gemini-cli" })])).toEqual([]);
  });

  it("reads several sessions, one per line, as threads", async () => {
    const other = { ...header, sessionId: "chat-2", messages: [{ ...asked, content: "Other." }] };
    const bytes = jsonLines([{ ...header, messages: [asked, said] }, other]);
    expect((await importSession(bytes, { thread: "chat-2" })).messages).toHaveLength(1);
  });

  const history = [
    { role: "user", parts: [{ text: "This is the Gemini CLI. We are setting up the context for our chat." }] },
    { role: "model", parts: [{ text: "Got it. Thanks for the context!" }] },
    {
      role: "user",
      parts: [{ text: "Which version is it?" }, { inlineData: { mimeType: "image/png", data: "aGk=" } }],
    },
    {
      role: "model",
      parts: [
        { text: "It is in the manifest.", thought: true, thoughtSignature: "c2ln" },
        { functionCall: { name: "read_file", args: { path: "package.json" } }, thoughtSignature: "c2ln" },
      ],
    },
    { role: "user", parts: [{ functionResponse: { name: "read_file", response: { output: "1.2.3" } } }] },
    { role: "model", parts: [{ text: "It is 1.2.3." }] },
  ];

  it.each([
    ["the list of older versions", history, ""],
    ["with how the user signed in", { history, authType: "oauth-personal" }, "/history"],
    [
      "before a tool changed files",
      { history: [{ type: "user", text: "x" }], clientHistory: history },
      "/clientHistory",
    ],
    [
      "what the API is asked",
      { contents: history, systemInstruction: { parts: [{ text: "Be brief." }] } },
      "/contents",
    ],
  ])("reads a chat that the user saved: %s", async (_, saved, path) => {
    const bytes = jsonDocument(saved);
    const session = await importSession(bytes);
    expect([session.format, session.warnings, session.malformed]).toEqual(["gemini-cli", [], []]);
    expect(session.messages.map(({ role, origin, parts }) => [role, origin, ...parts.map(({ type }) => type)])).toEqual(
      [
        ["user", "harness", "text"],
        ["assistant", undefined, "text"],
        ["user", undefined, "text", "image"],
        ["assistant", undefined, "reasoning", "tool-call"],
        ["tool", undefined, "tool-result"],
        ["assistant", undefined, "text"],
      ],
    );
    expect(session.messages[2]?.metadata).toMatchObject({ source: { path: `${path}/2` } });
    expect(session.messages[4]?.parts).toMatchObject([
      { result: { toolName: "read_file", content: { text: "1.2.3" } } },
    ]);
    expect(session.system).toEqual(path === "/contents" ? ["Be brief."] : []);
    expect(await brokenLaws(importerLaws({ bytes, format: "gemini-cli" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "gemini-cli" }))).toEqual([]);
  });

  it("gives a saved chat that has grown the ids that it had, and knows a summary in it", async () => {
    const summary = { role: "user", parts: [{ text: "<state_snapshot>\n<goal>Go.</goal>\n</state_snapshot>" }] };
    const saved = [history[0], summary, ...history.slice(1)];
    const [before, after] = await Promise.all(
      [saved, [...saved, { role: "user", parts: [{ text: "Thanks." }] }]].map((each) =>
        importSession(jsonDocument(each)),
      ),
    );
    expect(after?.threadId).toBe(before?.threadId);
    expect(after?.messages.slice(0, -1).map(({ id }) => id)).toEqual(before?.messages.map(({ id }) => id));
    expect(before?.messages.map(({ origin }) => origin).slice(0, 3)).toEqual(["harness", "compaction", undefined]);
    expect(before?.compactions).toEqual([{ messageId: before?.messages[1]?.id }]);
  });

  it("does not take messages of the AI SDK, which have parts as well, for a saved chat", async () => {
    const messages = [
      { id: "m1", role: "user", parts: [{ type: "text", text: "Hi." }] },
      { id: "m2", role: "assistant", parts: [{ type: "text", text: "Hello." }] },
    ];
    expect((await importSession(jsonDocument(messages))).format).toBe("ai-sdk");
  });
});
