import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const call = (id: string, path: string) => ({ id, name: "read_file", arguments: JSON.stringify({ path }) });
const tree = {
  node: {
    type: 1,
    ctor: 2,
    children: [
      { type: 2, text: "one" },
      { type: 2, text: "two", lineBreakBefore: true },
    ],
  },
};
const rounds = [
  {
    ...{ id: "round-1", response: "I look.", toolInputRetry: 0, timestamp: 1_772_359_204_000 },
    ...{
      toolCalls: [call("c1", "a.ts"), call("c2", "b.ts")],
      thinking: { id: "t", text: ["Two files."], encrypted: "ZW5j" },
    },
  },
  { id: "round-2", response: "Two lines.", toolInputRetry: 0, toolCalls: [], timestamp: 1_772_359_206_000 },
];
const results = { c1: { content: [{ value: "a" }, { value: "b" }] }, c2: { content: [{ value: tree }] } };
const question = {
  ...{ requestId: "request_1", timestamp: 1_772_359_202_000, modelId: "copilot/claude-sonnet-5" },
  ...{ message: { text: "What is here?", parts: [] }, variableData: { variables: [] } },
  response: [{ value: "Shown." }, { kind: "toolInvocationSerialized", toolCallId: "x", toolId: "copilot_readFile" }],
};
const answered = { ...question, result: { metadata: { toolCallRounds: rounds, toolCallResults: results } } };
const removed = {
  ...{
    requestId: "request_2",
    timestamp: 1_772_359_207_000,
    message: "Old words.",
    shouldBeRemovedOnSend: { requestId: "r" },
  },
  response: [
    { kind: "thinking", value: "Hm." },
    { value: "Old answer.", supportThemeIcons: false },
    { kind: "undoStop", id: "u" },
  ],
};
const chat = { version: 3, sessionId: "5f0c", creationDate: 1_772_359_200_000, responderUsername: "GitHub Copilot" };
const document = jsonDocument({ ...chat, requests: [answered, removed] });
const log = jsonLines([
  { kind: 0, v: { ...chat, requests: [] } },
  { kind: 2, k: ["requests"], v: [{ ...question, response: [] }] },
  { kind: 1, k: ["inputState"], v: { text: "typed" } },
  { kind: 1, k: ["requests", 0, "result"], v: answered.result },
  { kind: 2, k: ["requests"], v: [{ ...removed, message: "Never sent." }] },
  { kind: 2, k: ["requests"], i: 1, v: [removed] },
  { kind: 3, k: ["inputState"] },
]);

describe("vscodeChatImporter", () => {
  it.each([
    ["the document of older versions", document],
    ["the change log of newer versions", log],
  ])("reads %s: thinking, calls with their results, times, removed requests", async (_, bytes) => {
    const session = await importSession(bytes);
    expect(session).toMatchObject({
      format: "vscode-chat",
      threadId: "5f0c",
      model: "copilot/claude-sonnet-5",
      malformed: [],
    });
    expect(session.messages.map(({ id, role, createdAt, branch }) => [id, role, createdAt, branch])).toEqual([
      ["request_1", "user", "2026-03-01T10:00:02.000Z", undefined],
      ["round-1", "assistant", "2026-03-01T10:00:04.000Z", undefined],
      ["request_1-0-c1", "tool", "2026-03-01T10:00:04.001Z", undefined],
      ["request_1-0-c2", "tool", "2026-03-01T10:00:04.002Z", undefined],
      ["round-2", "assistant", "2026-03-01T10:00:06.000Z", undefined],
      ["request_2", "user", "2026-03-01T10:00:07.000Z", "removed"],
      ["request_2-answer", "assistant", "2026-03-01T10:00:07.001Z", "removed"],
    ]);
    expect(session.messages[1]?.parts).toEqual([
      { type: "reasoning", text: "Two files.", provider: "copilot", encrypted: "ZW5j" },
      { type: "text", text: "I look." },
      { type: "tool-call", callId: "c1", toolName: "read_file", input: { path: "a.ts" } },
      { type: "tool-call", callId: "c2", toolName: "read_file", input: { path: "b.ts" } },
    ]);
    expect(session.messages.slice(2, 4).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "c1", toolName: "read_file", content: { text: "ab" } } },
      { result: { callId: "c2", toolName: "read_file", content: { text: "one\ntwo" } } },
    ]);
    expect(session.messages.at(-1)?.parts).toEqual([
      { type: "reasoning", text: "Hm.", provider: "copilot" },
      { type: "text", text: "Old answer." },
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "vscode-chat" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "vscode-chat" }))).toEqual([]);
  });

  it("reads Copilot's summaries where they replaced what came before", async () => {
    const summary = (toolCallRoundId: string, text: string | undefined, more: object = {}) => ({
      ...{ toolCallRoundId, text },
      ...more,
    });
    const later = {
      ...{ requestId: "request_3", message: "/compact", timestamp: 1_772_359_208_000 },
      result: {
        metadata: {
          toolCallRounds: [
            { id: "round-3", response: "Done.", toolCalls: [] },
            { id: "round-4", response: "All.", toolCalls: [], summary: "Third." },
          ],
          summary: summary("round-2", "Old."),
          summaries: [
            summary("round-2", "First.", { contextLengthBefore: 98_000 }),
            summary("round-3", "Second."),
            summary("round-9", undefined, { outcome: "failed" }),
          ],
        },
      },
    };
    const bytes = jsonDocument({ ...chat, requests: [answered, later] });
    const { messages, compactions } = await importSession(bytes);
    const told = messages
      .slice(5)
      .map(({ id, origin, parts: [part] }) => [id, origin, part?.type === "text" && part.text]);
    expect(told).toEqual([
      ["request_3-summary-round-2", "compaction", "First."],
      ["request_3", undefined, "/compact"],
      ["round-3", undefined, "Done."],
      ["request_3-summary-round-3", "compaction", "Second."],
      ["round-4", undefined, "All."],
      ["request_3-summary-round-4", "compaction", "Third."],
    ]);
    expect(compactions).toEqual([
      { messageId: "request_3-summary-round-2", tokensBefore: 98_000 },
      ...["round-3", "round-4"].map((round) => ({ messageId: `request_3-summary-${round}` })),
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "vscode-chat" }))).toEqual([]);
  });

  it("reads what Copilot sent around the words of a request: its context, attachments, pictures, what hooks said", async () => {
    const part = (words: string) => ({ type: 1, text: words });
    const cacheMark = { type: 3, cacheType: "ephemeral" };
    const sent = {
      ...question,
      result: {
        metadata: {
          renderedGlobalContext: [part("<workspace_info>\na.ts\n</workspace_info>"), cacheMark],
          renderedUserMessage: [
            part("<attachments>\nWhat is here? one\n</attachments>\n<userRequest>\nWhat is here?\n</userRequest>\n"),
            part("<reminder>\nBe brief.\n</reminder>"),
            { type: 0, imageUrl: { url: "data:image/png;base64,aGk=", detail: "high" } },
            cacheMark,
          ],
          toolCallRounds: [
            { ...rounds[1], hookContext: "You may not stop yet." },
            { ...rounds[1], id: "round-3" },
          ],
        },
      },
    };
    const again = {
      ...sent,
      requestId: "request_2",
      message: "Typed.",
      result: { metadata: { renderedUserMessage: [] } },
    };
    const last = {
      ...{ ...question, requestId: "request_3", result: { metadata: { renderedUserMessage: [part("/fix")] } } },
      variableData: {
        variables: [{ kind: "image", mimeType: "image/png", value: { $base64: "aGk=" }, name: "p.png" }],
      },
    };
    const bytes = jsonDocument({ ...chat, requests: [sent, again, last] });
    const { messages } = await importSession(bytes);
    const picture = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "aGk=" } };
    const text = (words: string) => ({ type: "text", text: words });
    const shownCall = { type: "tool-call", callId: "x", toolName: "copilot_readFile", input: {} };
    expect(messages.map(({ id, role, origin, parts }) => [id, role, origin, parts])).toEqual([
      ["request_1-context", "user", "harness", [text("<workspace_info>\na.ts\n</workspace_info>")]],
      ["request_1-before", "user", "harness", [text("<attachments>\nWhat is here? one\n</attachments>")]],
      ["request_1", "user", undefined, [text("What is here?"), picture]],
      ["request_1-after", "user", "harness", [text("<reminder>\nBe brief.\n</reminder>")]],
      ["round-2", "assistant", undefined, [text("Two lines.")]],
      ["request_1-0-hook", "user", "harness", [text("You may not stop yet.")]],
      ["round-3", "assistant", undefined, [text("Two lines.")]],
      ["request_2", "user", undefined, [text("Typed.")]],
      ["request_2-answer", "assistant", undefined, [text("Shown."), shownCall]],
      ["request_3", "user", undefined, [text("What is here?"), { ...picture, name: "p.png" }]],
      ["request_3-after", "user", "harness", [text("/fix")]],
      ["request_3-answer", "assistant", undefined, [text("Shown."), shownCall]],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "vscode-chat" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "vscode-chat" }))).toEqual([]);
  });

  it("reads what was shown where Copilot kept no rounds: calls with what is known of them, and references in words", async () => {
    const shown = (toolCallId: string, toolId: string, more: object) => ({
      ...{ kind: "toolInvocationSerialized", toolCallId, toolId, isComplete: true, isConfirmed: { type: 1 } },
      ...more,
    });
    const embed = (value: string, more: object = { isText: true }) => ({ type: "embed", value, ...more });
    const input = '{\n  "q": "x"\n}';
    const terminal = {
      ...{ kind: "terminal", commandLine: { original: "npm test" }, terminalCommandOutput: { text: "1 failed" } },
      terminalCommandState: { exitCode: 1 },
    };
    const response = [
      ...[{ kind: "thinking", value: ["First ", "look."] }, { value: "The fault is in " }],
      { kind: "inlineReference", inlineReference: { uri: { scheme: "file", path: "/w/a.ts" }, range: {} } },
      { kind: "inlineReference", inlineReference: { name: "parse", location: {} } },
      { kind: "inlineReference", inlineReference: { scheme: "https", authority: "b.dev", path: "/c" } },
      ...[{ value: "." }, { kind: "mcpServersStarting" }],
      shown("s1", "mcp_find", { resultDetails: { input, output: [embed("one"), embed("two")], isError: false } }),
      shown("s2", "run_in_terminal", { toolSpecificData: terminal }),
      { value: "Again." },
      shown("s3", "runSubagent", { toolSpecificData: { kind: "subagent", prompt: "Look.", result: "Found." } }),
      shown("s4", "copilot_readFile", { subAgentInvocationId: "s3", pastTenseMessage: { value: "Read a.ts" } }),
      shown("s5", "shot", {
        toolSpecificData: { kind: "input", rawInput: { x: 1 } },
        resultDetails: { output: { type: "data", mimeType: "image/png", base64Data: "aGk=" } },
      }),
      shown("s6", "rm", { isConfirmed: { type: 0 }, invocationMessage: "Remove a.ts" }),
      shown("s7", "sh", { resultDetails: { input: "ls {", output: "a.ts" }, isConfirmed: undefined }),
      shown("s8", "wait", { isComplete: false, isConfirmed: undefined, invocationMessage: "Waiting" }),
    ];
    const bytes = jsonDocument({ ...chat, requests: [{ ...question, responseId: "response_1", response }] });
    const { messages } = await importSession(bytes);
    const text = (words: string) => ({ type: "text", text: words });
    const call = (callId: string, toolName: string, given: object) => {
      return { type: "tool-call", callId, toolName, input: given };
    };
    const result = (callId: string, toolName: string, outcome: string, content: object) => {
      return [{ type: "tool-result", result: { callId, toolName, outcome, content } }];
    };
    const picture = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "aGk=" } };
    const agent = "sidechain/s3";
    expect(messages.slice(1).map(({ id, branch, parts }) => [id, branch, parts])).toEqual([
      [
        ...["response_1", undefined],
        [
          { type: "reasoning", text: "First look.", provider: "copilot" },
          text("The fault is in a.ts`parse`https://b.dev/c."),
          ...[call("s1", "mcp_find", { q: "x" }), call("s2", "run_in_terminal", { command: "npm test" })],
        ],
      ],
      ["response_1-s1", undefined, result("s1", "mcp_find", "success", text("one\ntwo"))],
      ["response_1-s2", undefined, result("s2", "run_in_terminal", "failure", text("1 failed"))],
      ["response_1-1", undefined, [text("Again."), call("s3", "runSubagent", { prompt: "Look." })]],
      ["response_1-s3", undefined, result("s3", "runSubagent", "success", text("Found."))],
      ["response_1-2", agent, [call("s4", "copilot_readFile", {})]],
      ["response_1-s4", agent, result("s4", "copilot_readFile", "success", text("Read a.ts"))],
      [
        ...["response_1-3", undefined],
        [
          ...[call("s5", "shot", { x: 1 }), call("s6", "rm", {})],
          ...[call("s7", "sh", { input: "ls {" }), call("s8", "wait", {})],
        ],
      ],
      ["response_1-s5", undefined, result("s5", "shot", "success", { type: "blocks", blocks: [picture] })],
      ["response_1-s6", undefined, result("s6", "rm", "failure", text("The user cancelled the tool call."))],
      ["response_1-s7", undefined, result("s7", "sh", "success", text("a.ts"))],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "vscode-chat" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "vscode-chat" }))).toEqual([]);
  });

  it.each([
    ["failure", "ERROR while calling tool: File already exists\nPlease check your input and try again."],
    ["failure", "The user cancelled the tool call."],
    ["failure", "The user chose to skip the tool call, they want to proceed without running it"],
    ["success", "// ERROR while calling tool: never"],
  ])("knows by Copilot's own words that a call failed or was refused: %s, %s", async (outcome, value) => {
    const metadata = { toolCallRounds: rounds, toolCallResults: { c1: { content: [{ value }] } } };
    const { messages } = await importSession(
      jsonDocument({ ...chat, requests: [{ ...question, result: { metadata } }] }),
    );
    expect(messages[2]?.parts).toMatchObject([{ result: { outcome, content: { text: value } } }]);
  });

  it("keeps arguments that are not JSON as they are", async () => {
    const round = { id: "round-1", response: "", toolCalls: [{ id: "c1", name: "f", arguments: '{"path' }] };
    const request = { ...question, result: { metadata: { toolCallRounds: [round] } } };
    const { messages, warnings } = await importSession(jsonDocument({ ...chat, requests: [request] }));
    expect(messages[1]?.parts).toMatchObject([{ callId: "c1", input: '{"path', invalidInput: '{"path' }]);
    expect(warnings).toMatchObject([{ kind: "invalid-arguments", callId: "c1" }]);
  });

  it("reads a result and a change, however deep their values are nested", async () => {
    const around = (open: string, text: string, close: string) => open.repeat(20_000) + text + close.repeat(20_000);
    const round = { id: "round-1", response: "", toolCalls: [{ id: "c1", name: "f", arguments: "{}" }] };
    const metadata = { toolCallRounds: [round], toolCallResults: { c1: { content: "TREE" } } };
    const request = JSON.stringify({ ...question, result: { metadata } });
    const tree = around('{"children":[null,{},', '{"text":"found"}', "]}");
    const bytes = [
      JSON.stringify({ kind: 0, v: { ...chat, requests: [] } }),
      `{"kind":2,"k":["requests"],"v":[${request.replace('"TREE"', tree)}]}`,
      `{"kind":1,"k":["draft"],"v":${around("[", "", "]")}}`,
    ].join("\n");
    const { messages } = await importSession(new TextEncoder().encode(bytes));
    expect(messages.at(-1)?.parts).toMatchObject([{ result: { content: { type: "text", text: "found" } } }]);
  });

  it("reports a request that was deleted from its list", async () => {
    const bytes = jsonLines([
      { kind: 0, v: { ...chat, requests: [answered, removed] } },
      { kind: 3, k: ["requests", 0] },
    ]);
    const { malformed, messages } = await importSession(bytes);
    expect([malformed.map(({ line }) => line), messages.length]).toEqual([[2], 2]);
  });

  it("reports a change with an invalid path, and goes on", async () => {
    const changes = [
      { kind: 0, v: { ...chat, requests: [answered] } },
      { kind: 1, k: ["requests", 7, "result"], v: {} },
      { kind: 1, k: ["__proto__", "polluted"], v: true },
      { kind: 9, k: ["requests"] },
      { kind: 1, k: ["requests", 0.5], v: {} },
      { kind: 2, k: ["requests"], v: [removed] },
    ];
    const { malformed, messages, source } = await importSession(jsonLines(changes));
    expect(malformed.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
    expect([messages.length, source.records]).toEqual([7, 6]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});
