import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { AgentThread, ThreadfoldError } from "@threadfold/core";
import { brokenLaws } from "@threadfold/core/laws";
import { afterAll, describe, expect, it } from "vitest";
import { importSession, importSessionFile, importSessionStream } from "./importing/sessions.ts";
import { jsonDocument, jsonLines, sessionLaws } from "./laws/importer-laws.ts";
import type { ImportFormat } from "./session/imported-session.ts";

const folder = mkdtempSync(join(tmpdir(), "threadfold-importers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hello = { role: "user", content: "hello" };
const pi = [
  { type: "session", id: "s", timestamp: "2025-11-20T10:00:00.000Z" },
  { type: "message", timestamp: "2025-11-20T10:00:01.000Z", message: hello },
];
const calling = (args: string) =>
  `{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":${args}}}]}]}`;
const isRoot = process.getuid?.() === 0;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("what is no source", () => {
  it.each([
    ["a path instead of bytes", "bytes", () => importSession("session.jsonl" as never)],
    ["no path", "path", () => importSessionFile(undefined as never)],
    ["bytes instead of a stream", "chunks", () => importSessionStream(new Uint8Array() as never)],
    ["no options", "options", () => importSession(new Uint8Array(), null as never)],
    ["a misspelled limit", "maxByte", () => importSession(new Uint8Array(), { limits: { maxByte: 1 } } as never)],
    ["a limit that is none", "maxBytes", () => importSession(new Uint8Array(), { limits: { maxBytes: "1" } } as never)],
  ])("is refused by its name: %s", async (_, name, read) => {
    await expect(read()).rejects.toMatchObject({ code: "INVALID_CONFIG", details: { name } });
  });
});

describe("bad input ends in a typed error", () => {
  const cases: readonly (readonly [name: string, code: string, bytes: Uint8Array, format?: ImportFormat])[] = [
    ["an empty file", "EMPTY_SOURCE", new Uint8Array()],
    ["white space", "EMPTY_SOURCE", bytesOf(" \n\r\n\t")],
    ["a header without a message", "EMPTY_SOURCE", jsonLines(pi.slice(0, 1))],
    ["titles without a message", "EMPTY_SOURCE", jsonLines([{ type: "summary", summary: "x", leafUuid: "y" }])],
    ["an empty conversation", "EMPTY_SOURCE", jsonDocument({ messages: [] })],
    ["a binary file", "UNKNOWN_FORMAT", Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2])],
    ["a zip archive", "UNKNOWN_FORMAT", Uint8Array.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0])],
    ["prose", "UNKNOWN_FORMAT", bytesOf("# Read me\n\nThis is no log.\n")],
    ["JSON of another kind", "UNKNOWN_FORMAT", jsonDocument({ name: "threadfold" })],
    ["a rollout without an item", "EMPTY_SOURCE", jsonLines([{ type: "session_meta", payload: { id: "x" } }])],
    ["a session row without a message", "EMPTY_SOURCE", jsonLines([{ table: "session", id: "ses_1" }])],
    ["a chat of Gemini CLI without a message", "EMPTY_SOURCE", jsonLines([{ sessionId: "s", projectHash: "p" }])],
    ["a chat as one of Gemini CLI", "WRONG_FORMAT", jsonDocument([hello]), "gemini-cli"],
    [
      "an Aider start without a message",
      "EMPTY_SOURCE",
      bytesOf("# aider chat started at 2026-03-01 10:00:00\n> Hi\n"),
    ],
    ["prose as a history of Aider", "WRONG_FORMAT", bytesOf("# Read me\n"), "aider"],
    ["a session of Goose without a message", "EMPTY_SOURCE", jsonLines([{ working_dir: "/w", message_count: 0 }])],
    ["a chat as a session of Goose", "WRONG_FORMAT", jsonDocument([hello]), "goose"],
    ["a trajectory without a history", "EMPTY_SOURCE", jsonDocument({ trajectory: [], history: [] })],
    ["a run without a message", "EMPTY_SOURCE", jsonDocument({ task_id: 1, reward: 0, traj: [] })],
    ["a document that is cut off", "UNKNOWN_FORMAT", bytesOf('{"messages":[{"role":"user","content":"hel')],
    ["only brackets", "UNKNOWN_FORMAT", bytesOf(nested(10_000))],
    ["a gzip archive that is cut off", "CORRUPT_ARCHIVE", gzipSync(jsonLines(pi)).subarray(0, 60)],
    ["a gzip archive that is only its magic bytes", "CORRUPT_ARCHIVE", Uint8Array.from([0x1f, 0x8b])],
    ["a pi session as Claude Code", "WRONG_FORMAT", jsonLines(pi), "claude-code"],
    ["a chat as a pi session", "WRONG_FORMAT", jsonDocument([hello]), "pi"],
    ["prose as a chat", "WRONG_FORMAT", bytesOf("# Read me"), "openai-chat"],
    ["a rollout as OpenCode", "WRONG_FORMAT", jsonLines([{ type: "event_msg", payload: {} }]), "opencode"],
    [
      "blocks of Anthropic as the AI SDK",
      "WRONG_FORMAT",
      jsonDocument([{ role: "user", content: [{ type: "tool_result" }] }]),
      "ai-sdk",
    ],
    ["a chat as events", "WRONG_FORMAT", jsonDocument([hello]), "openhands"],
    ["calls of one API as the other", "WRONG_FORMAT", bytesOf(calling('"{}"')), "anthropic-messages"],
    ["an unknown format", "UNKNOWN_FORMAT", jsonLines(pi), "telegram" as ImportFormat],
  ];

  it.each(cases.map(([name, code, bytes, format]) => ({ name, code, bytes, format })))(
    "$name: $code",
    async ({ code, bytes, format }) => {
      const error = await importSession(bytes, { format: format ?? "auto" }).catch((thrown: unknown) => thrown);
      expect(ThreadfoldError.isInstance(error) && error.code).toBe(code);
    },
  );

  it("names the format that a wrong source looks like, and why a broken one was not read", async () => {
    await expect(importSession(jsonLines(pi), { format: "openai-chat" })).rejects.toThrow("it looks like pi");
    await expect(importSession(bytesOf('{"messages":['))).rejects.toThrow("line 1 is not JSON");
  });

  const words = { content: "hello", id: "m1" };
  const constructed = (name: string, kwargs: object) => ({
    ...{ lc: 1, type: "constructor", id: ["langchain", "schema", "messages", name], kwargs },
  });
  const spoken = [
    { ...words, type: "human" },
    { ...words, type: "ai", tool_calls: [] },
  ];
  it.each([
    ["messages of LangChain", "convert_to_openai_messages", jsonDocument(spoken)],
    ["messages of LangChain", "convert_to_openai_messages", jsonLines(spoken)],
    ["messages of LangChain", "convert_to_openai_messages", jsonDocument({ values: { messages: spoken }, next: [] })],
    ["messages of LangChain", "convert_to_openai_messages", jsonDocument({ messages: spoken })],
    ["messages of LangChain", "convert_to_openai_messages", jsonDocument([{ type: "human", data: words }])],
    ["messages of LangChain", "convert_to_openai_messages", jsonDocument([constructed("HumanMessage", words)])],
    [
      "what the editor shows of a task",
      "api_conversation_history.json",
      jsonDocument([
        { ts: 1_767_000_000_000, type: "say", say: "text", text: "hello" },
        { ts: 1_767_000_000_001, type: "ask", ask: "tool", text: "{}" },
      ]),
    ],
    [
      "what `opencode run` prints",
      "opencode export",
      jsonLines([
        { type: "step_start", timestamp: 1, sessionID: "ses_1", part: { type: "step-start" } },
        { type: "tool_use", timestamp: 2, sessionID: "ses_1", part: { type: "tool", tool: "bash" } },
      ]),
    ],
    [
      "what `codex exec --json` prints",
      "~/.codex/sessions",
      jsonLines([
        { type: "thread.started", thread_id: "t1" },
        { type: "item.completed", item: { id: "item_0", type: "agent_message", text: "hello" } },
      ]),
    ],
    [
      "what `gemini --output-format stream-json` prints",
      "~/.gemini/tmp",
      jsonLines([
        { type: "init", session_id: "s1", model: "gemini-3-pro" },
        { type: "message", role: "user", content: "hello" },
        { type: "tool_use", tool_name: "read_file", tool_id: "c1", parameters: {} },
      ]),
    ],
    [
      "a list of what Claude Code prints",
      "stream-json",
      jsonDocument([
        { type: "system", subtype: "init", session_id: "s1" },
        {
          type: "assistant",
          session_id: "s1",
          message: { role: "assistant", content: [{ type: "text", text: "hi" }] },
        },
      ]),
    ],
    [
      "what `goose run` prints",
      "goose session export",
      jsonLines([
        { type: "message", message: { role: "user", content: [{ type: "text", text: "hello" }] } },
        { type: "message", message: { role: "assistant", content: [{ type: "toolRequest", id: "c1", toolCall: {} }] } },
        { type: "complete", total_tokens: 9 },
      ]),
    ],
  ])(
    "says of what it knows and does not read what it is, and what to name instead: %s, %s",
    async (what, instead, bytes) => {
      const error = await importSession(bytes).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "UNKNOWN_FORMAT", message: expect.stringContaining(what) });
      expect(ThreadfoldError.isInstance(error) && error.hint).toContain(instead);
    },
  );

  it("refuses a file, an unpacked archive or a line above its size limit", async () => {
    const limits = { maxBytes: 100, maxLineLength: 50 };
    const long = jsonDocument([{ role: "user", content: "x".repeat(200) }]);
    for (const bytes of [long, gzipSync(long)]) {
      await expect(importSession(bytes, { limits: { maxBytes: 100 } })).rejects.toMatchObject({
        code: "SOURCE_TOO_LARGE",
      });
    }
    await expect(importSession(long, { limits: { ...limits, maxBytes: 10_000 } })).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
      details: { line: 1, limit: "maxLineLength" },
    });
  });
});

describe("odd input is read as far as possible", () => {
  it("reads a single line of 10 MB", async () => {
    const content = "x".repeat(10 * 1024 * 1024);
    const { messages } = await importSession(jsonDocument([{ role: "user", content }]));
    expect(messages[0]?.parts).toEqual([{ type: "text", text: content }]);
  });

  it.each([1_000, 10_000, 200_000])(
    "cuts arguments nested %i levels deep in every position, and reports it",
    async (levels) => {
      for (const args of [`{"a":${nested(levels)}}`, JSON.stringify(nested(levels))]) {
        const session = await importSession(bytesOf(calling(args)));
        expect(session.warnings.map(({ kind }) => kind)).toContain("repaired-value");
        expect(await brokenLaws(sessionLaws(session))).toEqual([]);
      }
    },
  );

  it("skips a line nested too deeply to parse, and reads the others", async () => {
    const session = await importSession(
      bytesOf(`${JSON.stringify(pi[0])}\n${nested(1_000_001)}\n${JSON.stringify(pi[1])}`),
    );
    expect(session.messages).toHaveLength(1);
    expect(session.malformed).toMatchObject([{ line: 2, problem: "nested deeper than 1000000 levels" }]);
  });

  it("replaces lone surrogates in texts, names, ids and keys, and reports it", async () => {
    const lone = "\\ud800";
    const lines = [
      JSON.stringify(pi[0]),
      `{"type":"message","id":"a${lone}","message":{"role":"user","content":"x${lone}"}}`,
      `{"type":"message","id":"b","message":{"role":"assistant","model":"m${lone}","content":[{"type":"toolCall","id":"t${lone}","name":"n${lone}","arguments":{"k${lone}":1}}]}}`,
      `{"type":"message","id":"c","message":{"role":"toolResult","toolCallId":"t${lone}","toolName":"n${lone}","content":[]}}`,
      `{"type":"${lone}"}`,
    ];
    const session = await importSession(bytesOf(lines.join("\n")));
    expect(await brokenLaws(sessionLaws(session))).toEqual([]);
    expect(session.messages[0]).toMatchObject({ id: "a\uFFFD", parts: [{ text: "x\uFFFD" }] });
    expect(session.messages[2]?.parts).toMatchObject([{ result: { callId: "t\uFFFD", toolName: "n\uFFFD" } }]);
    expect(session.warnings.filter(({ kind }) => kind === "repaired-value")).toHaveLength(3);
    expect(JSON.stringify(session.warnings)).not.toContain("\\ud800");
  });

  it("gives a thread and messages ids that a store takes, however the log writes them", async () => {
    const [header, message] = pi;
    const session = await importSession(
      jsonLines([
        { ...header, id: "a\0b" },
        { ...message, id: "\0" },
      ]),
    );
    expect([session.threadId, session.messages[0]?.id]).toEqual(["a\uFFFDb", "\uFFFD"]);
  });

  it("reads what was written before a crash left NUL bytes, however short the log", async () => {
    for (const messages of [pi.slice(1), Array.from({ length: 1_000 }, () => pi[1])]) {
      const log = jsonLines([pi[0], ...messages]);
      const session = await importSession(Uint8Array.from([...log, ...bytesOf("\n"), ...new Uint8Array(512)]));
      expect(session.messages).toHaveLength(messages.length);
      expect(session.malformed).toMatchObject([{ problem: expect.stringContaining("not JSON") }]);
    }
  });

  it("keeps surrogate pairs unchanged", async () => {
    const session = await importSession(bytesOf('[{"role":"user","content":"\\ud83d\\ude00"}]'));
    expect(session.messages[0]?.parts).toEqual([{ type: "text", text: "😀" }]);
    expect(session.warnings).toEqual([]);
  });

  it("treats `__proto__` as an ordinary key, and changes no prototype", async () => {
    const polluted = '{"__proto__":{"type":"message","polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const block = `{"type":"text","text":"x","__proto__":{"polluted":true},"constructor":1}`;
    const session = await importSession(
      bytesOf(
        `{"messages":[{"role":"user","content":[${block}]},{"role":"assistant","content":[{"type":"tool_use","id":"__proto__","name":"constructor","input":${polluted}},{"type":"constructor"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"__proto__","content":"ok"}]},{"role":"toString","content":""}]}`,
      ),
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(await brokenLaws(sessionLaws(session))).toEqual([]);
    const [first, second, third] = session.messages;
    expect(JSON.stringify(first?.parts)).toContain('"__proto__":{"polluted":true}');
    expect(Object.getPrototypeOf(first?.parts[0]?.type === "text" && first.parts[0].providerMetadata?.anthropic)).toBe(
      Object.prototype,
    );
    expect(JSON.stringify(second?.parts)).toContain(polluted);
    expect(third?.parts).toMatchObject([{ result: { callId: "__proto__", toolName: "constructor" } }]);
    expect(AgentThread.empty(session.threadId).append(session.messages).digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it("replaces bytes that are not UTF-8 with U+FFFD, and reports it", async () => {
    const [before, after] = [bytesOf('[{"role":"user","content":"a'), bytesOf('b"}]')];
    const session = await importSession(Uint8Array.from([...before, 0xff, ...after]));
    expect(session.messages[0]?.parts).toEqual([{ type: "text", text: "a\uFFFDb" }]);
    expect(session.warnings).toEqual([{ kind: "invalid-utf8" }]);
  });

  it.each(["le", "be"] as const)("reads what PowerShell writes with >, UTF-16 with its mark: %s", async (order) => {
    const read = (text: string) => {
      const units = Buffer.from(`\uFEFF[{"role":"user","content":"${text}"}]`, "utf16le");
      return importSession(order === "le" ? units : units.swap16());
    };
    const { messages, warnings, source } = await read("Größe 😀");
    expect([messages[0]?.parts, warnings]).toEqual([[{ type: "text", text: "Größe 😀" }], []]);
    expect(source.bytes).toBe(2 * (source.text.length + 1));
    expect((await read("\ud800")).warnings).toEqual([{ kind: "invalid-utf8" }]);
  });

  it("recognizes gzip by content, whatever the file name", async () => {
    const path = join(folder, "session.jsonl");
    writeFileSync(path, gzipSync(jsonLines(pi)));
    const session = await importSessionFile(path);
    expect(session.source.text).toBe(new TextDecoder().decode(jsonLines(pi)));
    expect(session.source.bytes).toBe(jsonLines(pi).length);
  });
});

describe("files that cannot be read", () => {
  it.each([
    ["a missing file", join(folder, "missing"), "ENOENT"],
    ["a directory", folder, "directory"],
    ["a path through a file", join(folder, "plain", "x"), "ENOTDIR"],
    ["a path with a NUL", "a\0b", "cannot be read"],
  ])("%s", async (_name, path, why) => {
    writeFileSync(join(folder, "plain"), "x");
    const error = await importSessionFile(path).catch((thrown: unknown) => thrown);
    expect(ThreadfoldError.isInstance(error) && error.code).toBe("UNREADABLE_SOURCE");
    expect(String(error)).toContain(why);
  });

  it("says for a folder how its files become one log", async () => {
    const error = await importSessionFile(folder).catch((thrown: unknown) => thrown);
    expect(ThreadfoldError.isInstance(error) && error.hint).toContain("> session.jsonl");
  });

  it.skipIf(isRoot)(
    `a file without permission${isRoot ? " (skipped: permissions do not bind root)" : ""}`,
    async () => {
      const path = join(folder, "forbidden");
      writeFileSync(path, "x");
      chmodSync(path, 0);
      await expect(importSessionFile(path)).rejects.toMatchObject({ code: "UNREADABLE_SOURCE" });
    },
  );

  it("a file above the limit is refused without being read", async () => {
    const path = join(folder, "large");
    writeFileSync(path, "x".repeat(1_000));
    await expect(importSessionFile(path, { limits: { maxBytes: 999 } })).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
    });
  });

  it.skipIf(process.platform === "win32")("an endless device is read up to the limit", async () => {
    await expect(importSessionFile("/dev/zero", { limits: { maxBytes: 1_000_000 } })).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
    });
  });
});
