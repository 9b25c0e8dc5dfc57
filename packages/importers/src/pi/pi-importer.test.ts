import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonLines } from "../laws/importer-laws.ts";

const header = { type: "session", id: "session-1", timestamp: "2025-11-20T10:00:00.000Z", cwd: "/project" };
const at = (second: number) => `2025-11-20T10:00:${String(second).padStart(2, "0")}.000Z`;
const text = (value: string) => ({ type: "text", text: value });
const user = (value: string) => ({ role: "user", content: [text(value)] });
const assistant = (content: readonly unknown[], more: object = {}) => ({
  role: "assistant",
  api: "anthropic-messages",
  provider: "anthropic",
  model: "claude-sonnet-4-5",
  content,
  ...more,
});

/** A session of version 1: entries without ids. */
const v1 = (...messages: readonly object[]) =>
  jsonLines([header, ...messages.map((message, index) => ({ type: "message", timestamp: at(index + 1), message }))]);

/** A session of version 3: entries with ids and parents. */
const v3 = (...entries: readonly object[]) => jsonLines([{ ...header, version: 3 }, ...entries]);
const said = (id: string, parentId: string | null, value: string) => ({
  type: "message",
  id,
  parentId,
  timestamp: at(1),
  message: id.startsWith("a") ? assistant([text(value)]) : user(value),
});

describe("piImporter, version 1", () => {
  it("uses the session id, line-based message ids and the entries' times", async () => {
    const session = await importSession(v1(user("hello"), assistant([text("hi")])));
    expect([session.format, session.threadId, session.model]).toEqual(["pi", "session-1", "claude-sonnet-4-5"]);
    expect(
      session.messages.map(({ id, role, createdAt, metadata }) => [id, role, createdAt, metadata?.source]),
    ).toEqual([
      ["pi-2", "user", at(1), { line: 2 }],
      ["pi-3", "assistant", at(2), { line: 3 }],
    ]);
    expect(session.nonPrompt).toEqual([{ kind: "session", lines: [1] }]);
  });

  it("reads thinking with its signature, calls, results with the call's tool name, and failures", async () => {
    const content = [
      { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
      { type: "thinking", thinking: "cut off", thinkingSignature: "" },
      { type: "toolCall", id: "toolu_1", name: "read", arguments: { path: "a" }, partialJson: "{" },
    ];
    const result = {
      role: "toolResult",
      toolCallId: "toolu_1",
      content: [text("no such file")],
      isError: true,
      details: { x: 1 },
    };
    const { messages } = await importSession(v1(user("go"), assistant(content), result));
    expect(messages[1]?.parts).toEqual([
      { type: "reasoning", text: "hm", provider: "anthropic", signature: "sig" },
      { type: "reasoning", text: "cut off", provider: "anthropic" },
      { type: "tool-call", callId: "toolu_1", toolName: "read", input: { path: "a" } },
    ]);
    expect(messages[2]).toMatchObject({
      role: "tool",
      parts: [
        {
          type: "tool-result",
          result: {
            callId: "toolu_1",
            toolName: "read",
            outcome: "failure",
            content: { type: "text", text: "no such file" },
          },
        },
      ],
    });
  });

  it("includes the cache in the input tokens and ignores all-zero reports", async () => {
    const usage = { input: 3, output: 5, cacheRead: 100, cacheWrite: 20, cost: { total: 1 } };
    const zeros = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const { messages } = await importSession(
      v1(assistant([text("a")], { usage }), assistant([], { usage: zeros, stopReason: "aborted" })),
    );
    expect(messages[0]?.usage).toEqual({
      inputTokens: 123,
      outputTokens: 5,
      cacheReadTokens: 100,
      cacheWriteTokens: 20,
    });
    expect(messages[1]).not.toHaveProperty("usage");
  });

  it("keeps aborted and failed turns with their reason, and their calls without results", async () => {
    const calls = [{ type: "toolCall", id: "toolu_1", name: "bash", arguments: {} }];
    const more = { stopReason: "error", errorMessage: "terminated" };
    const { messages } = await importSession(
      v1(user("go"), assistant(calls, more), assistant([], { stopReason: "aborted" })),
    );
    expect(messages[1]?.metadata).toMatchObject({
      stopReason: "error",
      errorMessage: "terminated",
      provider: "anthropic",
    });
    expect(messages[2]).toMatchObject({ parts: [], metadata: { stopReason: "aborted" } });
    expect(messages).toHaveLength(3);
  });

  it("reads a user-run command as harness text that starts no turn", async () => {
    const bash = {
      role: "bashExecution",
      command: "ls",
      output: "a\nb",
      exitCode: 2,
      cancelled: false,
      truncated: true,
      fullOutputPath: "/t",
    };
    const { messages } = await importSession(v1(bash, { ...bash, output: "", cancelled: true, truncated: false }));
    const textOf = (index: number) => messages[index]?.parts[0];
    expect(messages[0]).toMatchObject({ role: "user", origin: "harness" });
    expect(textOf(0)).toMatchObject({
      text: "Ran `ls`\n```\na\nb\n```\nExit code 2\n[Output truncated. Full output: /t]",
    });
    expect(textOf(1)).toMatchObject({ text: "Ran `ls`\n(no output)\n(cancelled)" });
  });

  it("leaves out a command that was hidden from the model", async () => {
    const bash = { role: "bashExecution", command: "secret", output: "", excludeFromContext: true };
    const session = await importSession(v1(user("go"), bash));
    expect(session.messages).toHaveLength(1);
    expect(session.nonPrompt).toContainEqual({ kind: "bashExecution kept from the model", lines: [3] });
  });

  it("splits OpenAI Responses ids into call id and item id, and keeps the reasoning item", async () => {
    const item = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "secret" };
    const content = [
      { type: "thinking", thinking: "hm", thinkingSignature: JSON.stringify(item) },
      { type: "text", text: "ok", textSignature: "msg_1" },
      { type: "toolCall", id: "call_1|fc_1", name: "read", arguments: {} },
    ];
    const result = { role: "toolResult", toolCallId: "call_1|fc_1", toolName: "read", content: [] };
    const { messages } = await importSession(
      v1(assistant(content, { api: "openai-responses", provider: "openai" }), result),
    );
    expect(messages[0]?.parts).toEqual([
      {
        type: "reasoning",
        text: "hm",
        provider: "openai",
        encrypted: "secret",
        providerMetadata: { openai: { item } },
      },
      { type: "text", text: "ok", providerMetadata: { openai: { textSignature: "msg_1" } } },
      {
        type: "tool-call",
        callId: "call_1",
        toolName: "read",
        input: {},
        providerMetadata: { openai: { itemId: "fc_1" } },
      },
    ]);
    expect(messages[1]?.parts[0]).toMatchObject({
      result: { callId: "call_1" },
      providerMetadata: { openai: { itemId: "fc_1" } },
    });
  });

  it("reads images in messages and results", async () => {
    const picture = { type: "image", data: "aGk=", mimeType: "image/png" };
    const result = { role: "toolResult", toolCallId: "t", toolName: "read", content: [text("see"), picture] };
    const { messages } = await importSession(v1({ role: "user", content: [picture] }, result));
    const image = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "aGk=" } };
    expect(messages[0]?.parts).toEqual([image]);
    expect(messages[1]?.parts[0]).toMatchObject({
      result: { content: { type: "blocks", blocks: [{ type: "text", text: "see" }, image] } },
    });
  });

  it("finds the first kept entry by counting all entries, including header and settings", async () => {
    const entries = [
      header,
      { type: "message", timestamp: at(1), message: user("old") },
      { type: "thinking_level_change", timestamp: at(2), thinkingLevel: "off" },
      "{ cut off",
      { type: "message", timestamp: at(3), message: user("kept") },
      { type: "compaction", timestamp: at(4), summary: "what was", firstKeptEntryIndex: 2, tokensBefore: 900 },
    ];
    const session = await importSession(jsonLines(entries));
    expect(session.messages[2]).toMatchObject({
      id: "pi-6",
      role: "user",
      origin: "compaction",
      parts: [text("what was")],
    });
    expect(session.compactions).toEqual([{ messageId: "pi-6", firstKeptMessageId: "pi-5", tokensBefore: 900 }]);
    expect(session.malformed.map(({ line }) => line)).toEqual([4]);
  });

  it("reads the early compaction format that states the number of kept messages (seed 001)", async () => {
    const kept = { type: "compaction", timestamp: at(5), summary: "s", keepLastMessages: 2, tokensBefore: 1 };
    const messages = ["u1", "u2", "u3"].map((value) => ({ type: "message", timestamp: at(1), message: user(value) }));
    const session = await importSession(jsonLines([header, ...messages, kept]));
    expect(session.compactions[0]?.firstKeptMessageId).toBe("pi-3");
  });

  it("is detected by its messages when the header is missing", async () => {
    const session = await importSession(
      jsonLines(["{ lost", { type: "message", timestamp: at(1), message: user("hello") }]),
    );
    expect(session.format).toBe("pi");
    expect(session.threadId).toMatch(/^pi-[0-9a-f]{24}$/);
  });

  it("reports invalid entries and unknown types", async () => {
    const odd = [
      7,
      { type: "message" },
      { type: "message", message: { role: "ghost" } },
      { type: "compaction" },
      { type: "dream" },
    ];
    const session = await importSession(jsonLines([header, { type: "message", message: user("hello") }, ...odd]));
    expect(session.malformed.map(({ line, problem }) => [line, problem])).toEqual([
      [3, "it is not an object with a type"],
      [4, "it has no message"],
      [5, "its message has no known role"],
      [6, "it has no summary"],
    ]);
    expect(session.warnings).toEqual([{ kind: "unknown-record", type: "dream", count: 1, firstLine: 7 }]);
  });

  it("keeps unknown blocks unchanged", async () => {
    const { messages } = await importSession(v1({ role: "user", content: [{ type: "smell", of: "rain" }, 5] }));
    expect(messages[0]?.parts).toEqual([
      { type: "opaque", provider: "pi", value: { type: "smell", of: "rain" } },
      { type: "opaque", provider: "pi", value: 5 },
    ]);
  });
});

describe("piImporter, versions 2 and 3", () => {
  it("uses the path to the newest entry as the main branch and names other branches by their fork point", async () => {
    const session = await importSession(
      v3(
        said("u1", null, "start"),
        said("a1", "u1", "first try"),
        said("u2", "a1", "more"),
        said("a2", "u2", "deep"),
        said("a3", "u2", "again"),
        said("a4", "u1", "second try"),
      ),
    );
    expect(session.messages.map(({ id, branch }) => [id, branch])).toEqual([
      ["u1", undefined],
      ["a1", "a1"],
      ["u2", "a1"],
      ["a2", "a1/a2"],
      ["a3", "a1"],
      ["a4", undefined],
    ]);
  });

  it("sends what a branch shares with others, when the user goes back to it after a newer one", async () => {
    const bytes = v3(
      said("u1", null, "start"),
      said("a1", "u1", "first try"),
      said("a2", "u1", "second try"),
      said("u2", "a1", "go on with the first"),
    );
    const session = await importSession(bytes);
    expect(session.messages.map(({ id, branch }) => [id, branch])).toEqual([
      ["u1", undefined],
      ["a1", undefined],
      ["a2", "a2"],
      ["u2", undefined],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "pi" }))).toEqual([]);
  });

  it("ends the main branch where a leaf says", async () => {
    const moved = (targetId: string | null) => ({ type: "leaf", id: "l1", parentId: "u2", timestamp: at(2), targetId });
    const entries = [said("u1", null, "start"), said("a1", "u1", "yes"), said("u2", "a1", "more")];
    const branches = async (targetId: string | null) =>
      (await importSession(v3(...entries, moved(targetId)))).messages.map(({ branch }) => branch);
    expect(await branches("a1")).toEqual([undefined, undefined, "u2"]);
    expect(await branches(null)).toEqual(["u1", "u1", "u1"]);
  });

  it("does not cut the history off at a missing parent", async () => {
    const session = await importSession(v3(said("u1", null, "start"), "{ lost" as never, said("u2", "lost", "go on")));
    expect(session.messages.map(({ id, branch }) => [id, branch])).toEqual([
      ["u1", undefined],
      ["u2", undefined],
    ]);
    expect(session.warnings).toEqual([{ kind: "missing-parent", at: { line: 4 }, parentId: "lost" }]);
  });

  it("does not loop on circular parents", async () => {
    const session = await importSession(
      v3(said("u1", "u1", "me"), said("u2", "u3", "you"), said("u3", "u2", "me again")),
    );
    expect(session.messages).toHaveLength(3);
  });

  it("bounds branch paths, however deep branches nest", async () => {
    const entries = Array.from({ length: 200 }, (_, level) => [
      said(`u${level}`, level === 0 ? null : `u${level - 1}`, "x"),
    ]).flat();
    const leaves = Array.from({ length: 199 }, (_, level) => said(`leaf${198 - level}`, `u${198 - level}`, "y"));
    const session = await importSession(v3(...entries, ...leaves));
    const depths = session.messages.map(({ branch }) => branch?.split("/").length ?? 0);
    expect(Math.max(...depths)).toBe(16);
    expect(new Set(session.messages.map(({ id }) => id)).size).toBe(399);
  });

  it("finds the first kept message after a setting, and keeps the other fields of a compaction", async () => {
    const session = await importSession(
      v3(
        { type: "model_change", id: "m1", parentId: null, timestamp: at(0), provider: "p", modelId: "m" },
        said("u1", "m1", "hello"),
        {
          type: "compaction",
          id: "c1",
          parentId: "u1",
          timestamp: at(2),
          summary: "s",
          firstKeptEntryId: "m1",
          tokensBefore: 19,
          details: { readFiles: ["a"] },
        },
      ),
    );
    expect(session.compactions).toEqual([
      { messageId: "c1", firstKeptMessageId: "u1", tokensBefore: 19, details: { readFiles: ["a"] } },
    ]);
  });

  it("reads extension messages and branch summaries, and skips settings", async () => {
    const entry = (type: string, id: string, more: object) => ({ type, id, parentId: null, timestamp: at(1), ...more });
    const session = await importSession(
      v3(
        entry("custom_message", "e1", { customType: "x", content: "note", display: true }),
        entry("branch_summary", "e2", { fromId: "u9", summary: "tried in vain" }),
        entry("message", "e3", { message: { role: "hookMessage", content: [text("from version 2")] } }),
        ...["custom", "label", "session_info", "thinking_level_change", "model_change"].map((type) =>
          entry(type, type, {}),
        ),
        said("u1", "e3", "hello"),
      ),
    );
    const harness = session.messages.filter(({ origin }) => origin === "harness").map(({ parts }) => parts[0]);
    expect(harness).toEqual([text("note"), text("tried in vain"), text("from version 2")]);
    expect(session.nonPrompt.map(({ kind }) => kind)).toEqual([
      "session",
      "custom",
      "label",
      "session_info",
      "thinking_level_change",
      "model_change",
    ]);
  });

  it("keeps the laws with repeated, empty or very long ids", async () => {
    const bytes = v3(
      said("u1", null, "a"),
      said("u1", "u1", "b"),
      said("", "u1", "c"),
      said("u".repeat(600), "u1", "d"),
    );
    expect(await brokenLaws(importerLaws({ bytes, format: "pi" }))).toEqual([]);
    const { messages, warnings } = await importSession(bytes);
    expect(messages.map(({ id }) => id.slice(0, 6))).toEqual(["u1", "u1~2", "pi-4", "uuuuuu"]);
    expect(warnings.filter(({ kind }) => kind === "replaced-id")).toHaveLength(2);
  });
});

describe("piImporter, compactions that repeat what they keep", () => {
  const tail = (...retainedTail: readonly unknown[]) => ({
    ...{ type: "compaction", id: "c1", parentId: "u2", timestamp: at(3), summary: "what was", tokensBefore: 9 },
    retainedTail,
  });
  const told = (id: string, parentId: string | null, value: string) => ({
    ...said(id, parentId, value),
    message: { ...said(id, parentId, value).message, timestamp: Number(id.slice(1)) },
  });
  const entries = [told("u1", null, "go on"), told("a1", "u1", "yes"), told("u2", "a1", "go on")];
  const kept = entries.slice(1).map(({ message }) => message);

  it("finds the first kept message among equal ones, past settings and what an extension wrote", async () => {
    const note = { type: "custom_message", id: "m1", parentId: "u2", timestamp: at(2), content: "note" };
    const custom = { role: "custom", customType: "x", content: "note", display: true, timestamp: 7 };
    const set = { type: "active_tools_change", id: "s1", parentId: "m1", timestamp: at(2), activeToolNames: [] };
    const bytes = v3(...entries, note, set, { ...tail(...kept, custom), parentId: "s1" }, told("u3", "c1", "more"));
    const session = await importSession(bytes);
    expect(session.compactions).toEqual([{ messageId: "c1", firstKeptMessageId: "a1", tokensBefore: 9 }]);
    expect(session.messages.map(({ id }) => id)).toEqual(["u1", "a1", "u2", "m1", "c1", "u3"]);
    expect(session.warnings).toEqual([]);
    expect(await brokenLaws(importerLaws({ bytes, format: "pi" }))).toEqual([]);
  });

  it("adds kept messages that the log does not have, behind the summary", async () => {
    const lost = [
      { role: "branchSummary", summary: "the other way", timestamp: 1 },
      { role: "user", content: "lost words", timestamp: 2 },
    ];
    const bytes = v3(...entries, tail(...lost, ...kept), told("u3", "c1", "more"));
    const { compactions, messages, warnings } = await importSession(bytes);
    expect(compactions[0]?.firstKeptMessageId).toBe("a1");
    expect(messages.slice(3).map(({ id, origin, parts }) => [id, origin, parts[0]])).toEqual([
      ["c1", "compaction", text("what was")],
      ["c1.0", "harness", text("the other way")],
      ["c1.1", undefined, text("lost words")],
      ["u3", undefined, text("more")],
    ]);
    expect(warnings).toEqual([]);
    expect((await importSession(v3(...entries, tail()))).compactions[0]).not.toHaveProperty("firstKeptMessageId");
    expect(await brokenLaws(importerLaws({ bytes, format: "pi" }))).toEqual([]);
  });
});

describe("piImporter, version 4", () => {
  const entry = (lane: string, { timestamp: _time, ...fields }: object & { readonly timestamp: string }) => ({
    ...{ kind: "entry", lane, seq: 1, timestamp: Date.parse(at(1)) },
    ...fields,
  });
  const opened = { kind: "header", version: 4, id: "session-4", createdAt: Date.parse(at(0)), cwd: "/project" };
  const noted = { kind: "record", id: "r1", lane: "main", type: "operation_started", seq: 2, intent: { kind: "run" } };
  const named = { kind: "fact", fact: "name", name: "a name", seq: 3 };
  const moved = (lane: string, leafId: string | null) => ({ kind: "lane", seq: 4, lane, leafId });
  const placed = async (...lines: readonly object[]) => {
    const bytes = jsonLines([opened, ...lines]);
    expect(await brokenLaws(importerLaws({ bytes, format: "pi" }))).toEqual([]);
    const session = await importSession(bytes);
    expect([session.threadId, session.warnings, session.malformed]).toEqual(["session-4", [], []]);
    return session.messages.map(({ id, createdAt, branch }) => [id, createdAt, branch]);
  };

  it("reads entries among the harness's own lines, up to where the lane was moved", async () => {
    const lines = [entry("main", said("u1", null, "start")), noted, entry("main", said("a1", "u1", "yes")), named];
    expect(await placed(...lines, entry("main", said("u2", "a1", "more")), moved("main", "a1"))).toEqual([
      ["u1", at(1), undefined],
      ["a1", at(1), undefined],
      ["u2", at(1), "u2"],
    ]);
  });

  it("puts what another lane said on a branch, though it came last", async () => {
    const lines = [entry("main", said("u1", null, "start")), entry("main", said("a1", "u1", "yes"))];
    expect(await placed(...lines, moved("side", "u1"), entry("side", said("a2", "u1", "aside")), noted)).toEqual([
      ["u1", at(1), undefined],
      ["a1", at(1), undefined],
      ["a2", at(1), expect.any(String)],
    ]);
  });
});
