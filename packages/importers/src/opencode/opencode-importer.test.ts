import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const SESSION = "ses_1";
const session = (more: object = {}) => ({ table: "session", id: SESSION, ...more });
const row = (id: string, data: object, sessionId = SESSION) => ({
  table: "message",
  id,
  session_id: sessionId,
  time_created: 1_782_358_569_437,
  data: JSON.stringify(data),
});
const part = (id: string, messageId: string, data: object, sessionId = SESSION) => ({
  table: "part",
  id,
  message_id: messageId,
  session_id: sessionId,
  data: JSON.stringify(data),
});
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const tool = (callID: string, state: object) => ({
  type: "tool",
  tool: "read",
  callID,
  state: { input: { a: 1 }, ...state },
});
const answer = { role: "assistant", modelID: "m", providerID: "anthropic" };
const asked = [session(), row("msg_1", { role: "user" }), part("prt_1", "msg_1", text("go"))];

describe("opencodeImporter", () => {
  it("reads call and result from one part, and orders messages and parts by id in any row order", async () => {
    const done = { status: "completed", output: "ok", time: { start: 1_782_358_569_500, end: 1_782_358_569_600 } };
    const rows = [
      part("prt_4", "msg_2", tool("c2", { status: "error", error: "no such file" })),
      part("prt_3", "msg_2", tool("c1", done)),
      part("prt_2", "msg_2", text("looking")),
      row("msg_2", answer),
      ...asked,
    ];
    const imported = await importSession(jsonLines(rows));
    expect([imported.format, imported.threadId, imported.model]).toEqual(["opencode", SESSION, "m"]);
    expect(imported.messages.map(({ id, role }) => [id, role])).toEqual([
      ["msg_1", "user"],
      ["msg_2", "assistant"],
      ["prt_3.result", "tool"],
      ["prt_4.result", "tool"],
    ]);
    expect(imported.messages[1]?.parts.map(({ type }) => type)).toEqual(["text", "tool-call", "tool-call"]);
    expect(imported.messages.slice(2).map(({ parts }) => parts[0])).toMatchObject([
      {
        result: { callId: "c1", outcome: "success", content: { text: "ok" }, completedAt: "2026-06-25T03:36:09.600Z" },
      },
      { result: { callId: "c2", outcome: "failure", content: { text: "no such file" } } },
    ]);
    expect(await brokenLaws(importerLaws({ bytes: jsonLines(rows), format: "opencode" }))).toEqual([]);
  });

  it.each([
    [0, "success"],
    [1, "failure"],
    [127, "failure"],
    // Killed, after its time or by the user.
    [null, "failure"],
    [undefined, "success"],
    ["1", "success"],
  ])("tells how a command ended by the exit code beside its output, which alone has it: %s", async (exit, outcome) => {
    const ended = { status: "completed", output: "3 dates are off", metadata: { output: "", exit } };
    const rows = [...asked, row("msg_2", answer), part("prt_2", "msg_2", { ...tool("c1", ended), tool: "bash" })];
    const { messages } = await importSession(jsonLines(rows));
    expect(messages[2]?.parts).toMatchObject([{ result: { outcome, content: { text: "3 dates are off" } } }]);
  });

  it("leaves calls that never ended without a result", async () => {
    const rows = [...asked, row("msg_2", answer), part("prt_2", "msg_2", tool("c1", { status: "running" }))];
    const { messages } = await importSession(jsonLines(rows));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("makes one message per step of an answer, with the usage of that step", async () => {
    const finish = (input: number) => ({
      type: "step-finish",
      reason: "tool-calls",
      tokens: { input, output: 5, reasoning: 2, cache: { read: 100, write: 10 } },
    });
    const rows = [
      ...asked,
      row("msg_2", answer),
      part("prt_2", "msg_2", { type: "step-start" }),
      part("prt_3", "msg_2", tool("c1", { status: "completed", output: "ok" })),
      part("prt_4", "msg_2", finish(3)),
      part("prt_5", "msg_2", { type: "step-start" }),
      part("prt_6", "msg_2", text("done")),
      part("prt_7", "msg_2", finish(0)),
    ];
    const { messages } = await importSession(jsonLines(rows));
    expect(messages.map(({ id, role, usage }) => [id, role, usage?.inputTokens, usage?.outputTokens])).toEqual([
      ["msg_1", "user", undefined, undefined],
      ["msg_2", "assistant", 113, 7],
      ["prt_3.result", "tool", undefined, undefined],
      ["prt_5", "assistant", 110, 7],
    ]);
    expect(await brokenLaws(importerLaws({ bytes: jsonLines(rows), format: "opencode" }))).toEqual([]);
  });

  it("recognizes a compaction with its request, its summary and the kept tail", async () => {
    const rows = [
      ...asked,
      row("msg_2", answer),
      part("prt_2", "msg_2", text("ok")),
      row("msg_3", { role: "user" }),
      part("prt_3", "msg_3", { type: "compaction", auto: true, tail_start_id: "msg_2" }),
      row("msg_4", { ...answer, summary: true }),
      part("prt_4", "msg_4", text("what was")),
    ];
    const { messages, compactions } = await importSession(jsonLines(rows));
    expect(messages.slice(2)).toMatchObject([
      { role: "user", origin: "harness", parts: [{ text: "What did we do so far?" }] },
      { role: "assistant", origin: "compaction", parts: [{ text: "what was" }] },
    ]);
    expect(compactions).toEqual([{ messageId: "msg_4", trigger: "auto", firstKeptMessageId: "msg_2" }]);
  });

  it("keeps output that OpenCode pruned from prompts, with the time of pruning", async () => {
    const pruned = { status: "completed", output: "long", time: { compacted: 1_782_358_569_437 } };
    const rows = [...asked, row("msg_2", answer), part("prt_2", "msg_2", tool("c1", pruned))];
    const { messages } = await importSession(jsonLines(rows));
    expect(messages[2]).toMatchObject({
      parts: [{ result: { content: { text: "long" } } }],
      metadata: { prunedAt: "2026-06-25T03:36:09.437Z" },
    });
  });

  it("leaves out parts that were never sent, and marks OpenCode's own text as the harness's", async () => {
    const rows = [
      session(),
      row("msg_1", { role: "user" }),
      part("prt_1", "msg_1", text("<file>a</file>", { synthetic: true })),
      part("prt_2", "msg_1", { type: "file", mime: "text/plain", url: "file:///a", filename: "a" }),
      part("prt_3", "msg_1", text("a note for the screen", { ignored: true })),
      row("msg_2", { role: "user" }),
      part("prt_4", "msg_2", { type: "file", mime: "image/png", url: "data:image/png;base64,aGk=", filename: "a.png" }),
      row("msg_3", answer),
      part("prt_5", "msg_3", { type: "reasoning", text: "hm", metadata: { anthropic: { signature: "sig" } } }),
      part("prt_6", "msg_3", { type: "patch", files: [] }),
    ];
    const { messages } = await importSession(jsonLines(rows));
    expect(messages.map(({ origin, parts }) => [origin, parts.length])).toEqual([
      ["harness", 1],
      [undefined, 1],
      [undefined, 1],
    ]);
    expect(messages[1]?.parts).toMatchObject([{ type: "image", name: "a.png", source: { data: "aGk=" } }]);
    expect(messages[2]?.parts).toMatchObject([{ type: "reasoning", provider: "anthropic", signature: "sig" }]);
  });

  it("says that it left out a part of a type that it does not know", async () => {
    const rows = [
      ...asked,
      row("msg_2", answer),
      part("prt_2", "msg_2", { type: "canvas", text: "a drawing" }),
      part("prt_3", "msg_2", { type: "retry", attempt: 1 }),
    ];
    const bytes = jsonLines(rows);
    const { warnings } = await importSession(bytes);
    expect(warnings).toEqual([{ kind: "unknown-record", type: "part/canvas", count: 1, firstLine: rows.length - 1 }]);
    expect(await brokenLaws(importerLaws({ bytes, format: "opencode" }))).toEqual([]);
  });

  it("puts reverted messages on a separate branch", async () => {
    const rows = [
      session({ revert: '{"messageID":"msg_2"}' }),
      ...asked.slice(1),
      row("msg_2", answer),
      part("prt_2", "msg_2", text("bad")),
    ];
    const { messages } = await importSession(jsonLines(rows));
    expect(messages.map(({ branch }) => branch)).toEqual([undefined, "reverted"]);
  });

  it("takes a summary that failed or was stopped for no compaction, as OpenCode does", async () => {
    const ask = (id: string) => [row(id, { role: "user" }), part(`prt_${id}`, id, { type: "compaction", auto: true })];
    const summary = (id: string, more: object) => [
      row(id, { ...answer, summary: true, ...more }),
      part(`prt_${id}`, id, text("All of it.")),
    ];
    const read = async (more: object) => {
      const { compactions, messages } = await importSession(
        jsonLines([...asked, ...ask("msg_2"), ...summary("msg_3", more)]),
      );
      return [compactions.length, messages.at(-1)?.origin];
    };
    expect(await read({ finish: "stop" })).toEqual([1, "compaction"]);
    expect(await read({ time: { created: 1, completed: 2 } })).toEqual([1, "compaction"]);
    expect(await read({ finish: "stop", error: { name: "MessageAbortedError", data: {} } })).toEqual([0, undefined]);
    expect(await read({ time: { created: 1 } })).toEqual([0, undefined]);
  });

  it("reads what a call had printed until it was interrupted", async () => {
    const metadata = { interrupted: true, output: "1 passed" };
    const stopped = tool("c1", { status: "error", error: "Tool execution aborted", metadata });
    const { messages } = await importSession(
      jsonLines([...asked, row("msg_2", answer), part("prt_2", "msg_2", stopped)]),
    );
    expect(messages.at(-1)?.parts).toMatchObject([{ result: { outcome: "partial", content: text("1 passed") } }]);
  });

  it("reads one session of several, by place or by id, and lists them", async () => {
    const child = [row("msg_9", { role: "user" }, "ses_2"), part("prt_9", "msg_9", text("sub"), "ses_2")];
    const bytes = jsonLines([...asked, ...child]);
    const [first, second] = await Promise.all([importSession(bytes), importSession(bytes, { thread: "ses_2" })]);
    expect([first.threadId, second.threadId]).toEqual(["ses_1", "ses_2"]);
    expect(first.warnings).toEqual([{ kind: "more-threads", thread: 1, threads: 2, names: ["ses_1", "ses_2"] }]);
    expect(second.messages.map(({ id }) => id)).toEqual(["msg_9"]);
    await expect(importSession(bytes, { thread: "ses_3" })).rejects.toThrow("ses_1, ses_2");
  });

  const newer = (seq: number, type: string, data: object) => ({
    ...{ table: "session_message", id: `msg_${seq}`, session_id: SESSION, type, seq },
    ...{ time_created: 1_782_358_569_437 + seq, data: JSON.stringify(data) },
  });
  const model = { id: "m", providerID: "anthropic" };

  it("reads the newer tables, whose messages have their parts inside", async () => {
    const failed = { status: "error", input: {}, error: { type: "unknown", message: "no such file" } };
    const done = { status: "completed", input: { a: 1 }, content: [text("ok")], metadata: { exit: 0 } };
    const picture = { data: "aGk=", mime: "image/png", name: "a.png" };
    const called = (id: string, state: object) => ({ type: "tool", id, name: "read", state, time: { created: 1 } });
    const rows = [
      session(),
      newer(1, "agent-switched", { agent: "build" }),
      newer(3, "assistant", {
        ...{ agent: "build", model, tokens: { input: 9, output: 2, reasoning: 0, cache: { read: 1, write: 0 } } },
        content: [
          { type: "reasoning", text: "hm", providerMetadata: { anthropic: { signature: "c2ln" } } },
          text("looking"),
          called("c1", done),
          called("c2", failed),
          called("c3", { status: "completed", input: {}, content: [text("red")], metadata: { exit: 1 } }),
          called("c4", { status: "streaming", input: '{"a' }),
        ],
      }),
      newer(2, "user", { text: "go", files: [picture, { data: "aGk=", mime: "text/plain", name: "a.txt" }] }),
      newer(4, "shell", { command: "ls", output: { output: "a.ts", truncated: false } }),
      newer(5, "synthetic", { text: "A note." }),
      newer(6, "system", { text: "It is May." }),
      newer(7, "compaction", { status: "failed", reason: "auto", error: {} }),
      newer(8, "compaction", { status: "completed", reason: "auto", summary: "Read a.", recent: "user: go" }),
      newer(9, "novelty", {}),
      newer(10, "user", { text: "on" }),
      newer(11, "idle", { outcome: "succeeded" }),
    ];
    const bytes = jsonLines(rows);
    const { messages, model: named, compactions, warnings, nonPrompt } = await importSession(bytes);
    const shape = messages.map(({ id, role, origin, parts }) => [
      id,
      role,
      origin,
      parts.map(({ type }) => type).join(),
    ]);
    expect(shape).toEqual([
      ["msg_2", "user", undefined, "text,image,text"],
      ["msg_3", "assistant", undefined, "reasoning,text,tool-call,tool-call,tool-call,tool-call"],
      ...["msg_3.2", "msg_3.3", "msg_3.4"].map((id) => [`${id}.result`, "tool", undefined, "tool-result"]),
      ["msg_4", "user", "harness", "text"],
      ["msg_5", "user", "harness", "text"],
      ["msg_6", "system", undefined, "text"],
      ["msg_8", "user", "compaction", "text"],
      ["msg_10", "user", undefined, "text"],
    ]);
    expect(messages[0]?.parts[2]).toEqual(text("a.txt\n\nhi"));
    expect(messages[1]?.usage).toMatchObject({ inputTokens: 10, outputTokens: 2 });
    expect(messages[1]?.parts[0]).toMatchObject({ text: "hm", provider: "anthropic", signature: "c2ln" });
    expect(messages[1]?.parts[2]).toMatchObject({ callId: "c1", toolName: "read", input: { a: 1 } });
    expect(messages.slice(2, 5).map(({ parts: [part] }) => part?.type === "tool-result" && part.result)).toMatchObject([
      { callId: "c1", outcome: "success", content: text("ok") },
      { callId: "c2", outcome: "failure", content: text("no such file") },
      { callId: "c3", outcome: "failure", content: text("red") },
    ]);
    expect([messages[5]?.parts, messages[8]?.parts]).toEqual([
      [text("Shell command: ls\n\na.ts")],
      [text("Read a.\n\nuser: go")],
    ]);
    expect([named, compactions]).toEqual(["m", [{ messageId: "msg_8", trigger: "auto" }]]);
    expect(warnings).toEqual([{ kind: "unknown-record", type: "session_message/novelty", count: 1, firstLine: 10 }]);
    expect(nonPrompt.map(({ kind, lines }) => [kind, lines])).toEqual([
      ["session", [1]],
      ["session_message", [2, 8, 12]],
      ["session_message/novelty", [10]],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "opencode" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "opencode" }))).toEqual([]);
  });

  it("leaves out a newer message of an unknown type, however the type is called", async () => {
    const types = ["constructor", "toString", "valueOf", "__proto__"];
    const odd = types.map((type, index) => newer(index + 2, type, { text: "odd" }));
    const { messages, warnings } = await importSession(
      jsonLines([session(), newer(1, "user", { text: "go" }), ...odd]),
    );
    expect(messages.map(({ id }) => id)).toEqual(["msg_1"]);
    expect(warnings.map((warning) => warning.kind === "unknown-record" && warning.type)).toEqual(
      types.map((type) => `session_message/${type}`),
    );
  });

  it.each(["native", "state"])("keeps what only the provider can read of newer messages, as %s", async (field) => {
    const read = async (providerID: string, blob: object) => {
      const content = [
        { type: "reasoning", text: "hm", [field]: blob },
        { type: "text", text: "Yes.", [field]: blob },
      ];
      const said = newer(2, "assistant", { agent: "build", model: { id: "m", providerID }, content });
      const { messages } = await importSession(jsonLines([session(), newer(1, "user", { text: "go" }), said]));
      return messages[1]?.parts;
    };
    expect(await read("anthropic", { signature: "c2ln" })).toMatchObject([
      { provider: "anthropic", signature: "c2ln" },
      { providerMetadata: { anthropic: { signature: "c2ln" } } },
    ]);
    const item = { itemId: "rs_1", reasoningEncryptedContent: "ZW5j" };
    expect(await read("opencode", item)).toMatchObject([{ provider: "openai", encrypted: "ZW5j" }, {}]);
    expect(await read("xai", item)).toMatchObject([{ provider: "xai", encrypted: "ZW5j" }, {}]);
    expect(await read("google", { thoughtSignature: "c2ln" })).toMatchObject([
      { provider: "google", signature: "c2ln" },
      {},
    ]);
  });

  it("keeps what only the provider can read of a newer call", async () => {
    const state = { status: "completed", input: {}, content: [text("ok")] };
    const call = {
      type: "tool",
      id: "c1",
      name: "read",
      native: { thoughtSignature: "c2ln" },
      state,
      time: { created: 1 },
    };
    const said = newer(1, "assistant", { model: { id: "gemini-3", providerID: "google" }, content: [call] });
    const { messages } = await importSession(jsonLines([session(), said]));
    expect(messages[0]?.parts).toMatchObject([{ providerMetadata: { google: { thoughtSignature: "c2ln" } } }]);
  });

  it("reads a message that both kinds of tables have once", async () => {
    const { messages } = await importSession(jsonLines([...asked, newer(1, "user", { text: "go" })]));
    expect(messages.map(({ id }) => id)).toEqual(["msg_1"]);
  });

  it("reads the files of the storage folder and the export alike", async () => {
    const user = { id: "msg_1", sessionID: SESSION, role: "user", time: { created: 1_782_358_569_437 } };
    const said = { id: "prt_1", sessionID: SESSION, messageID: "msg_1", ...text("go") };
    const stored = jsonLines([{ id: SESSION, projectID: "p", title: "t" }, user, said]);
    const exported = jsonDocument({ info: { id: SESSION, title: "t" }, messages: [{ info: user, parts: [said] }] });
    const sessions = await Promise.all([jsonLines(asked), stored, exported].map((bytes) => importSession(bytes)));
    for (const { format, threadId, messages } of sessions) {
      expect([format, threadId, messages.map(({ id }) => id)]).toEqual(["opencode", SESSION, ["msg_1"]]);
      expect(messages[0]).toMatchObject({ createdAt: "2026-06-25T03:36:09.437Z", parts: [{ text: "go" }] });
    }
    for (const bytes of [stored, exported])
      expect(await brokenLaws(importerLaws({ bytes, format: "opencode" }))).toEqual([]);
  });

  it("reports invalid rows, parts without a message and duplicate messages", async () => {
    const rows = [...asked, 7, part("prt_7", "msg_7", text("lost")), asked[1], row("msg_5", { role: "ghost" })];
    const imported = await importSession(jsonLines(rows as readonly object[]));
    expect(imported.malformed.map(({ line }) => line)).toEqual([4, 5, 7]);
    expect(imported.warnings).toEqual([{ kind: "duplicate-record", at: { line: 6 }, id: "msg_1" }]);
    expect(imported.messages).toHaveLength(1);
  });
});
