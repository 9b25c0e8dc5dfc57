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
