import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonLines } from "../laws/importer-laws.ts";

const time = "2026-01-05T17:12:50.653Z";
const common = { sessionId: "session-1", version: "2.1.1", isSidechain: false, timestamp: time };

const user = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
  ...common,
  type: "user",
  uuid,
  parentUuid,
  message: { role: "user", content },
  ...more,
});
const assistant = (
  uuid: string,
  parentUuid: string | null,
  responseId: string,
  block: object,
  more: object = {},
  message: object = {},
) => ({
  ...common,
  type: "assistant",
  uuid,
  parentUuid,
  requestId: "req_1",
  message: {
    id: responseId,
    role: "assistant",
    type: "message",
    model: "claude-opus-4-5",
    content: [block],
    stop_reason: null,
    ...message,
  },
  ...more,
});
const text = (value: string) => ({ type: "text", text: value });
const call = (id: string, name = "Read") => ({ type: "tool_use", id, name, input: { file: id } });
const result = (id: string, more: object = {}) => [
  { type: "tool_result", tool_use_id: id, content: `result of ${id}`, ...more },
];
const usage = (output: number) => ({
  input_tokens: 3,
  cache_creation_input_tokens: 10,
  cache_read_input_tokens: 100,
  output_tokens: output,
});

const shape = (messages: Awaited<ReturnType<typeof importSession>>["messages"]) =>
  messages.map(({ id, role, parts }) => [
    id,
    role,
    parts.map((part) => (part.type === "tool-result" ? part.result.callId : part.type)),
  ]);

describe("claudeCodeImporter", () => {
  it("merges the lines of one response in order, and counts its usage once, by the last report", async () => {
    const session = await importSession(
      jsonLines([
        user("u1", null, "hello"),
        assistant("a1", "u1", "msg_1", { type: "thinking", thinking: "hm", signature: "sig" }, {}, { usage: usage(1) }),
        assistant("a2", "a1", "msg_1", text("hi"), {}, { usage: usage(1) }),
        assistant("a3", "a2", "msg_1", call("t1"), {}, { usage: usage(210), stop_reason: "tool_use" }),
        user("r1", "a3", result("t1")),
      ]),
    );
    expect(session.threadId).toBe("session-1");
    expect(session.model).toBe("claude-opus-4-5");
    expect(shape(session.messages)).toEqual([
      ["u1", "user", ["text"]],
      ["a1", "assistant", ["reasoning", "text", "tool-call"]],
      ["r1", "tool", ["t1"]],
    ]);
    expect(session.messages[1]).toMatchObject({
      usage: { inputTokens: 113, outputTokens: 210, cacheReadTokens: 100, cacheWriteTokens: 10 },
      createdAt: time,
      metadata: {
        source: { line: 2, lines: [2, 3, 4] },
        uuids: ["a2", "a3"],
        responseId: "msg_1",
        requestId: "req_1",
        stopReason: "tool_use",
      },
    });
    expect(session.messages[1]?.parts[0]).toEqual({
      type: "reasoning",
      text: "hm",
      provider: "anthropic",
      signature: "sig",
    });
  });

  it("merges a response across results and progress logged between its calls", async () => {
    const bytes = jsonLines([
      user("u1", null, "hello"),
      assistant("a1", "u1", "msg_1", call("t1")),
      { ...common, type: "progress", uuid: "p1", parentUuid: "a1", data: {} },
      user("r1", "a1", result("t1")),
      assistant("a2", "r1", "msg_1", call("t2", "Bash")),
      user("r2", "a2", result("t2")),
      assistant("a3", "r2", "msg_2", text("done")),
    ]);
    const session = await importSession(bytes);
    expect(shape(session.messages)).toEqual([
      ["u1", "user", ["text"]],
      ["a1", "assistant", ["tool-call", "tool-call"]],
      ["r1", "tool", ["t1"]],
      ["r2", "tool", ["t2"]],
      ["a3", "assistant", ["text"]],
    ]);
    expect(session.nonPrompt).toEqual([{ kind: "progress", lines: [3] }]);
    expect(await brokenLaws(importerLaws({ bytes, format: "claude-code" }))).toEqual([]);
  });

  it("does not merge across a typed message", async () => {
    const lines = [
      assistant("a1", null, "msg_1", text("one")),
      user("u1", "a1", "and?"),
      assistant("a2", "u1", "msg_1", text("two")),
    ];
    expect((await importSession(jsonLines(lines))).messages).toHaveLength(3);
  });

  it("keeps results of parallel calls on the main branch, although they are leaves in the log", async () => {
    const lines = [
      user("u1", null, "hello"),
      assistant("a1", "u1", "msg_1", call("t1")),
      assistant("a2", "a1", "msg_1", call("t2")),
      user("r1", "a1", result("t1")),
      user("r2", "a2", result("t2")),
      assistant("a3", "r2", "msg_2", text("done")),
    ];
    const { messages } = await importSession(jsonLines(lines));
    expect(messages.map(({ branch }) => branch)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it("puts a path that the user rewound on a branch, with its answers", async () => {
    const lines = [
      user("u1", null, "hello"),
      assistant("a1", "u1", "msg_1", text("hi")),
      user("u2", "a1", "wrong way"),
      assistant("a2", "u2", "msg_2", text("going")),
      user("u3", "a1", "right way"),
      assistant("a3", "u3", "msg_3", text("gone")),
    ];
    const { messages } = await importSession(jsonLines(lines));
    expect(messages.map(({ branch }) => branch)).toEqual([
      undefined,
      undefined,
      "abandoned/u2",
      "abandoned/u2",
      undefined,
      undefined,
    ]);
  });

  it("does not treat unanswered typed messages or lines off the path as rewound", async () => {
    const lines = [
      user("u1", null, "hello"),
      assistant("a1", "u1", "msg_1", text("hi")),
      user("u2", "a1", "first half"),
      user("u3", "a1", "second half"),
      assistant("a2", "u3", "msg_2", text("yes")),
      user("m1", "a2", "<command-name>/exit</command-name>"),
      user("m2", "m1", "<local-command-stdout>Bye!</local-command-stdout>"),
      assistant("a3", "a2", "msg_3", text("No response requested."), {}, { model: "<synthetic>" }),
      user("u4", "a3", "go on"),
    ];
    const { messages } = await importSession(jsonLines(lines));
    expect(messages.every(({ branch }) => branch === undefined)).toBe(true);
  });

  it("puts each sub-agent on its own branch, named by agent id or first message", async () => {
    const side = { isSidechain: true };
    const lines = [
      user("u1", null, "hello"),
      user("s1", null, "find it", side),
      assistant("s2", "s1", "msg_s", text("found"), side),
      user("x1", null, "look", { ...side, agentId: "agent-7" }),
      assistant("a1", "u1", "msg_1", text("hi")),
    ];
    const { messages } = await importSession(jsonLines(lines));
    expect(messages.map(({ branch }) => branch)).toEqual([
      undefined,
      "sidechain/s1",
      "sidechain/s1",
      "sidechain/agent-7",
      undefined,
    ]);
  });

  it("reads a sub-agent's own log as a thread of its own, named after the session and the agent", async () => {
    const side = { isSidechain: true, agentId: "a1b2" };
    const lines = [
      user("s1", null, "find it", side),
      assistant("s2", "s1", "msg_s", text("found"), side),
      user("x1", null, "look", { ...side, agentId: "c3d4" }),
    ];
    const session = await importSession(jsonLines(lines));
    expect(session.threadId).toBe("session-1/a1b2");
    expect(session.messages.map(({ branch }) => branch)).toEqual([undefined, undefined, "sidechain/c3d4"]);
    expect(await brokenLaws(importerLaws({ bytes: jsonLines(lines), format: "claude-code" }))).toEqual([]);
  });

  it("reads what stream-json prints: sub-agents by their call, compactions, and nothing but messages", async () => {
    const printed = (type: string, more: object, agent: string | null = null) => ({
      ...{ type, session_id: "session-1", parent_tool_use_id: agent },
      ...more,
    });
    const message = (role: string, content: unknown, more: object = {}) => ({ message: { role, content, ...more } });
    const said = (id: string, block: object) => message("assistant", [block], { id, model: "claude-opus-4-5" });
    const lines = [
      printed("system", { subtype: "init", model: "claude-opus-4-5", tools: ["Task"] }),
      printed("assistant", said("msg_1", call("c1", "Task"))),
      printed("user", message("user", [text("count files")]), "c1"),
      printed("assistant", said("msg_2", text("7")), "c1"),
      printed("stream_event", { event: { type: "message_stop" } }),
      printed("user", message("user", result("c1"))),
      printed("system", { subtype: "compact_boundary", compact_metadata: { trigger: "auto", pre_tokens: 900 } }),
      printed("user", {
        ...message("user", "This session is being continued from a previous conversation…"),
        isSynthetic: true,
      }),
      printed("user", { ...message("user", "Continue."), isSynthetic: true }),
      printed("assistant", said("msg_3", text("Seven."))),
      printed("rate_limit_event", {}),
      printed("result", { subtype: "success", result: "Seven." }),
    ];
    const session = await importSession(jsonLines(lines));
    expect(session).toMatchObject({ threadId: "session-1", model: "claude-opus-4-5", warnings: [], malformed: [] });
    expect(session.messages.map(({ role, origin, branch }) => [role, origin, branch])).toEqual([
      ["assistant", undefined, undefined],
      ["user", undefined, "sidechain/c1"],
      ["assistant", undefined, "sidechain/c1"],
      ["tool", undefined, undefined],
      ["user", "compaction", undefined],
      ["user", "harness", undefined],
      ["assistant", undefined, undefined],
    ]);
    expect(session.compactions).toEqual([{ messageId: session.messages[4]?.id, tokensBefore: 900, trigger: "auto" }]);
    expect(await brokenLaws(importerLaws({ bytes: jsonLines(lines), format: "claude-code" }))).toEqual([]);
  });

  it("keeps a compaction as a user message with trigger and size, and no kept messages before it", async () => {
    const boundary = {
      ...common,
      type: "system",
      subtype: "compact_boundary",
      uuid: "b1",
      parentUuid: null,
      logicalParentUuid: "a1",
      compactMetadata: { trigger: "auto", preTokens: 155_301, extra: 1 },
    };
    const summary = user("c1", "b1", "This session is being continued…", {
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    });
    const session = await importSession(
      jsonLines([
        user("u1", null, "hello"),
        assistant("a1", "u1", "msg_1", text("hi")),
        boundary,
        summary,
        assistant("a2", "c1", "msg_2", text("ok")),
      ]),
    );
    expect(session.messages[2]).toMatchObject({ id: "c1", role: "user", origin: "compaction" });
    expect(session.compactions).toEqual([
      { messageId: "c1", tokensBefore: 155_301, trigger: "auto", details: { extra: 1 } },
    ]);
    expect(session.messages.every(({ branch }) => branch === undefined)).toBe(true);
  });

  it("marks untyped text as the harness's: meta lines, interruptions, local command output, local errors", async () => {
    const session = await importSession(
      jsonLines([
        user("m1", null, "Caveat: …", { isMeta: true }),
        user("m2", "m1", "<command-name>/clear</command-name>"),
        user("m3", "m2", "<local-command-stdout></local-command-stdout>"),
        user("u1", "m3", "hello"),
        assistant(
          "e1",
          "u1",
          "x",
          text("API Error: 500"),
          { isApiErrorMessage: true },
          { model: "<synthetic>", usage: { input_tokens: 0, output_tokens: 0 } },
        ),
        user("i1", "e1", [text("[Request interrupted by user for tool use]")]),
      ]),
    );
    expect(session.messages.map(({ origin }) => origin)).toEqual([
      "harness",
      undefined,
      "harness",
      undefined,
      "harness",
      "harness",
    ]);
    expect(session.messages[4]).toMatchObject({ metadata: { apiError: true } });
    expect(session.messages[4]).not.toHaveProperty("model");
    expect(session.messages[4]).not.toHaveProperty("usage");
    expect(session).not.toHaveProperty("model");
  });

  it("reads results with failures, images and blocks, and never their structured duplicates", async () => {
    const image = { type: "image", source: { type: "base64", data: "aGk=", media_type: "image/png" } };
    const { messages } = await importSession(
      jsonLines([
        assistant("a1", null, "msg_1", call("t1")),
        user("r1", "a1", result("t1", { is_error: true, content: "The user doesn't want to proceed" }), {
          toolUseResult: "DUPLICATE",
        }),
        assistant("a2", "r1", "msg_2", call("t2")),
        user("r2", "a2", result("t2", { content: [image] })),
        assistant("a3", "r2", "msg_3", call("t3")),
        user("r3", "a3", result("t3", { content: [text("plain")], cache_control: { type: "ephemeral" } })),
      ]),
    );
    const results = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-result"));
    expect(results.map(({ result: { outcome, content } }) => [outcome, content])).toEqual([
      ["failure", { type: "text", text: "The user doesn't want to proceed" }],
      [
        "success",
        {
          type: "blocks",
          blocks: [{ type: "image", source: { kind: "base64", mediaType: "image/png", data: "aGk=" } }],
        },
      ],
      ["success", { type: "text", text: "plain" }],
    ]);
    expect(results[2]?.providerMetadata).toEqual({ anthropic: { cache_control: { type: "ephemeral" } } });
    expect(JSON.stringify(messages)).not.toContain("DUPLICATE");
  });

  it("splits a turn into tool messages for its results and a user message for the rest", async () => {
    const bytes = jsonLines([
      assistant("a1", null, "msg_1", call("t1")),
      assistant("a2", "a1", "msg_1", call("t2")),
      user("r1", "a2", [...result("t1"), text("and stop there"), ...result("t2")]),
    ]);
    const { messages } = await importSession(bytes);
    expect(shape(messages).slice(1)).toEqual([
      ["r1", "tool", ["t1"]],
      ["r1.1", "tool", ["t2"]],
      ["r1.rest", "user", ["text"]],
    ]);
    expect(messages[3]).not.toHaveProperty("origin");
    expect(await brokenLaws(importerLaws({ bytes, format: "claude-code" }))).toEqual([]);
  });

  it("skips titles, snapshots, progress, hooks and transcript-only lines, and reports unknown types", async () => {
    const session = await importSession(
      jsonLines([
        { type: "summary", summary: "a title", leafUuid: "of another session" },
        { type: "file-history-snapshot", messageId: "m", snapshot: {} },
        user("u1", null, "hello"),
        { ...common, type: "system", subtype: "stop_hook_summary", uuid: "h1", parentUuid: "u1" },
        { ...common, type: "queue-operation", operation: "enqueue" },
        { ...common, type: "pr-link" },
        { type: "last-prompt", lastPrompt: "hello", sessionId: "session-1" },
        user("v1", "u1", "only shown", { isVisibleInTranscriptOnly: true }),
        assistant("v2", "v1", "msg_2", call("inner"), { isVirtual: true }),
        user("v3", "v2", result("inner"), { isVirtual: true }),
        { ...common, type: "novelty" },
        { ...common, type: "novelty" },
      ]),
    );
    expect(session.messages).toHaveLength(1);
    expect(session.nonPrompt.map(({ kind, lines }) => `${kind} ${lines.join()}`)).toEqual([
      "summary 1",
      "file-history-snapshot 2",
      "system/stop_hook_summary 4",
      "queue-operation 5",
      "pr-link 6",
      "last-prompt 7",
      "shown in the transcript only 8,9,10",
      "novelty 11,12",
    ]);
    expect(session.warnings).toEqual([{ kind: "unknown-record", type: "novelty", count: 2, firstLine: 11 }]);
  });

  it("imports a repeated line once, but two different lines with one uuid both", async () => {
    const first = user("u1", null, "hello");
    const session = await importSession(jsonLines([first, first, user("u1", null, "other")]));
    expect(session.messages.map(({ id }) => id)).toEqual(["u1", "u1~2"]);
    expect(session.warnings.map(({ kind }) => kind)).toEqual(["duplicate-record", "replaced-id"]);
  });

  it("reports lines without a message, and several sessions in one log", async () => {
    const session = await importSession(
      jsonLines([
        user("u1", null, "hello"),
        { ...common, type: "assistant", uuid: "a1" },
        user("u2", "u1", "again", { sessionId: "session-2" }),
        5,
      ]),
    );
    expect(session.malformed.map(({ line, problem }) => [line, problem])).toEqual([
      [2, "the assistant line has no message"],
      [4, "it is not an object with a type"],
    ]);
    expect(session.warnings).toEqual([{ kind: "several-session-ids", ids: ["session-1", "session-2"] }]);
  });
});
