import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument, jsonLines } from "../laws/importer-laws.ts";

const text = (words: string) => ({ type: "text", text: words });
const request = (id: string, name: string) => ({
  type: "toolRequest",
  id,
  toolCall: { status: "success", value: { name, arguments: { command: "ls" } } },
});
const response = (id: string, toolResult: unknown) => ({ type: "toolResponse", id, toolResult });

const MESSAGES = [
  { role: "user", created: 1_772_359_202, content: [text("What is here?")] },
  {
    id: "a1",
    role: "assistant",
    created: 1_772_359_204,
    content: [
      { type: "thinking", thinking: "I look.", signature: "c2ln" },
      request("c1", "developer__shell"),
      request("c2", "developer__shell"),
    ],
  },
  {
    id: "r1",
    role: "user",
    created: 1_772_359_205,
    content: [
      response("c1", { status: "success", value: { content: [text("a.ts")], isError: false } }),
      response("c2", { status: "error", error: "It was declined." }),
    ],
  },
  { id: "a2", role: "assistant", created: 1_772_359_207, content: [text("One file, a.ts.")] },
  {
    role: "user",
    created: 1_772_359_208,
    content: [text("Go on.")],
    metadata: { userVisible: false, agentVisible: true },
  },
];
const header = { working_dir: "/work", description: "Files", message_count: 5, total_tokens: 900 };
const lines = jsonLines([header, ...MESSAGES]);
const document = jsonDocument({ id: "20260301_1", working_dir: "/work", name: "Files", conversation: MESSAGES });

describe("gooseImporter", () => {
  it("names the model that the session was configured with, wherever it is written", async () => {
    const config = { model_name: "gpt-5.6", context_limit: 400_000 };
    const row = { table: "sessions", id: "s1", working_dir: "/work", model_config_json: JSON.stringify(config) };
    const said = { table: "messages", session_id: "s1", role: "user", content_json: '[{"type":"text","text":"hi"}]' };
    for (const bytes of [
      jsonDocument({ id: "s1", working_dir: "/work", conversation: MESSAGES, model_config: config }),
      jsonLines([{ ...header, model_config: config }, ...MESSAGES]),
      jsonLines([row, said]),
    ])
      expect((await importSession(bytes)).model).toBe("gpt-5.6");
    expect((await importSession(jsonLines([{ ...row, model_config_json: "{" }, said]))).model).toBeUndefined();
  });

  it.each([
    ["one message per line", lines],
    ["an export", document],
  ])("reads %s: thinking, calls with their results, times", async (_, bytes) => {
    const session = await importSession(bytes);
    expect(session.format).toBe("goose");
    expect(session.messages.map(({ role, createdAt }) => [role, createdAt])).toEqual([
      ["user", "2026-03-01T10:00:02.000Z"],
      ["assistant", "2026-03-01T10:00:04.000Z"],
      ["tool", "2026-03-01T10:00:05.000Z"],
      ["tool", "2026-03-01T10:00:05.000Z"],
      ["assistant", "2026-03-01T10:00:07.000Z"],
      ["user", "2026-03-01T10:00:08.000Z"],
    ]);
    expect(session.messages[1]?.parts).toEqual([
      { type: "reasoning", text: "I look.", provider: "anthropic", signature: "c2ln" },
      { type: "tool-call", callId: "c1", toolName: "developer__shell", input: { command: "ls" } },
      { type: "tool-call", callId: "c2", toolName: "developer__shell", input: { command: "ls" } },
    ]);
    expect(session.messages.slice(2, 4).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "c1", outcome: "success", content: { type: "text", text: "a.ts" } } },
      { result: { callId: "c2", outcome: "failure", content: { type: "text", text: "It was declined." } } },
    ]);
    expect(session.messages.at(-1)?.origin).toBe("harness");
    expect(await brokenLaws(importerLaws({ bytes, format: "goose" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "goose" }))).toEqual([]);
  });

  it("leaves out what a tool returned only for the screen, since the model is not sent it", async () => {
    const meant = (words: string, ...audience: readonly string[]) => ({ ...text(words), annotations: { audience } });
    const returned = (content: unknown) => ({
      role: "user",
      content: [response("c1", { status: "success", value: content })],
    });
    const asked = { role: "assistant", content: [request("c1", "developer__shell")] };
    const content = [meant("3 passed", "assistant"), meant("3 passed", "user"), meant(" in 1 s", "user", "assistant")];
    const readContents = async (value: unknown) => {
      const { messages } = await importSession(jsonLines([header, asked, returned(value)]));
      return messages[1]?.parts;
    };
    for (const value of [content, { content }])
      expect(await readContents(value)).toMatchObject([
        { result: { content: { type: "blocks", blocks: [{ text: "3 passed" }, { text: " in 1 s" }] } } },
      ]);
    expect(await readContents({ content: content.slice(0, 2) })).toMatchObject([
      { result: { content: { type: "text", text: "3 passed" } } },
    ]);
  });

  it("reads the text of an embedded resource, as the model does", async () => {
    const resource = { uri: "file:///project/a.ts", mimeType: "text", text: "const a = 1;" };
    const shown = { type: "resource", resource, annotations: { audience: ["assistant"] } };
    const asked = { role: "assistant", content: [request("c1", "developer__text_editor")] };
    const answered = { role: "user", content: [response("c1", { status: "success", value: { content: [shown] } })] };
    const { messages } = await importSession(jsonLines([header, asked, answered]));
    expect(messages[1]?.parts).toMatchObject([{ result: { content: { type: "text", text: "const a = 1;" } } }]);
  });

  it("reads redacted thinking and calls of the frontend, and leaves out what only the user was shown", async () => {
    const shown = { type: "systemNotification", notificationType: "inlineMessage", msg: "Compacted." };
    const asking = { type: "actionRequired", data: { actionType: "toolConfirmation", id: "c1", toolName: "open" } };
    const content = [
      { type: "redactedThinking", data: "ZW5j" },
      { ...request("c1", "open"), type: "frontendToolRequest" },
    ];
    const bytes = jsonLines([
      header,
      MESSAGES[0],
      { role: "assistant", created: 1_772_359_204, content: [...content, asking] },
      { role: "assistant", created: 1_772_359_205, content: [shown] },
      {
        role: "user",
        created: 1_772_359_206,
        content: [response("c1", { status: "success", value: { content: [] } })],
      },
    ]);
    const { messages, nonPrompt, warnings } = await importSession(bytes);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(messages[1]?.parts).toMatchObject([
      { type: "reasoning", provider: "anthropic" },
      { type: "tool-call", callId: "c1", toolName: "open", input: { command: "ls" } },
    ]);
    expect(JSON.stringify(messages[1]?.parts[0])).toContain("ZW5j");
    expect([nonPrompt.at(-1), warnings]).toEqual([{ kind: "systemNotification", lines: [4] }, []]);
    expect(await brokenLaws(importerLaws({ bytes, format: "goose" }))).toEqual([]);
  });

  it("keeps the signatures of Gemini, under its own name", async () => {
    const thinking = { type: "thinking", thinking: "I look.", signature: "c2ln" };
    const signed = { ...request("c1", "shell"), metadata: { thoughtSignature: "Y2FsbA==" } };
    const asked = (...content: readonly object[]) => ({ role: "assistant", content });
    const partsOf = async (config: object, ...content: readonly object[]) => {
      const { messages } = await importSession(jsonLines([{ ...header, ...config }, asked(...content)]));
      return messages[0]?.parts;
    };
    const gemini = { model_config: { model_name: "gemini-3-pro-preview" } };
    expect(await partsOf(gemini, thinking, signed)).toEqual([
      { type: "reasoning", text: "I look.", provider: "google", signature: "c2ln" },
      {
        ...{ type: "tool-call", callId: "c1", toolName: "shell", input: { command: "ls" } },
        providerMetadata: { google: { thoughtSignature: "Y2FsbA==" } },
      },
    ]);
    expect(await partsOf({}, thinking, signed)).toMatchObject([{ provider: "google" }, {}]);
    const before = { ...request("c1", "shell"), thoughtSignature: "Y2FsbA==" };
    expect(await partsOf({}, thinking, before)).toEqual(await partsOf(gemini, thinking, signed));
    expect(await partsOf({ provider_name: "gcp_vertex_ai" }, thinking)).toMatchObject([{ provider: "anthropic" }]);
    expect(await partsOf({ provider_name: "google" }, thinking)).toMatchObject([{ provider: "google" }]);
  });

  it("tells a call that Goose could not read, and why, unless a result says so", async () => {
    const error = "-32602: Could not interpret tool use parameters for id c1";
    const asked = { role: "assistant", content: [{ ...request("c1", ""), toolCall: { status: "error", error } }] };
    const answered = { role: "user", content: [response("c1", { status: "error", error: "It was cut." })] };
    const after = { role: "user", content: [text("Again.")] };
    const told = async (...records: readonly object[]) => {
      const bytes = jsonLines([header, ...records]);
      expect(await brokenLaws(importerLaws({ bytes, format: "goose" }))).toEqual([]);
      return (await importSession(bytes)).messages.map(({ role, parts }) => [role, ...parts]);
    };
    const call = { type: "tool-call", callId: "c1", toolName: "unparseable_tool_call", input: {} };
    const result = (words: string) => ({ result: { callId: "c1", outcome: "failure", content: { text: words } } });
    expect(await told(asked, after)).toMatchObject([
      ["assistant", call],
      ["tool", result(error)],
      ["user", {}],
    ]);
    expect(await told(asked, answered)).toMatchObject([
      ["assistant", call],
      ["tool", result("It was cut.")],
    ]);
  });

  it("knows by Goose's own words that the user refused a call", async () => {
    const declined = [text("The user has declined to run this tool. \nDO NOT attempt to call this tool again.")];
    const asked = { role: "assistant", content: [request("c1", "shell")] };
    const answered = { role: "user", content: [response("c1", { status: "success", value: { content: declined } })] };
    const { messages } = await importSession(jsonLines([header, asked, answered]));
    expect(messages[1]?.parts).toMatchObject([{ result: { outcome: "failure" } }]);
  });

  it("recognizes Goose's own summary, behind messages that the model no longer sees", async () => {
    const seen = (isSeen: boolean, more: object) => ({
      ...more,
      metadata: { userVisible: !isSeen, agentVisible: isSeen },
    });
    const session = await importSession(
      jsonLines([
        header,
        ...MESSAGES.slice(0, 3).map((message) => seen(false, message)),
        seen(true, { id: "s1", role: "user", content: [text("What was said so far.")] }),
        seen(true, { id: "s2", role: "assistant", content: [text("I go on.")] }),
        seen(true, { id: "s3", role: "user", content: [text("Continue.")] }),
      ]),
    );
    expect(session.compactions).toEqual([{ messageId: "s1" }]);
    expect(session.messages.slice(-3).map(({ id, origin }) => [id, origin])).toEqual([
      ["s1", "compaction"],
      ["s2", undefined],
      ["s3", "harness"],
    ]);
  });

  it("takes the summary of single calls, which hides no message before them, for no compaction", async () => {
    const metadata = { userVisible: true, agentVisible: false };
    const session = await importSession(
      jsonLines([
        header,
        MESSAGES[0],
        ...MESSAGES.slice(1, 3).map((message) => ({ ...message, metadata })),
        { id: "s1", role: "user", content: [text("Two calls.")], metadata: { userVisible: false, agentVisible: true } },
      ]),
    );
    expect([session.compactions, session.messages.at(-1)?.origin]).toEqual([[], "harness"]);
  });

  it("uses the id of an export, and derives one from the beginning of a growing log", async () => {
    expect((await importSession(document)).threadId).toBe("20260301_1");
    const begun = await importSession(jsonLines([header, ...MESSAGES.slice(0, 2)]));
    expect((await importSession(lines)).threadId).toBe(begun.threadId);
  });

  it("reads each database session as a thread", async () => {
    const folder = mkdtempSync(join(tmpdir(), "threadfold-goose-"));
    const path = join(folder, "sessions.db");
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', working_dir TEXT NOT NULL);
      CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, metadata_json TEXT);`);
    for (const session of ["20260301_1", "20260301_2", "unspoken"])
      database.prepare("INSERT INTO sessions VALUES (?, 'Files', '/work')").run(session);
    for (const [session, messages] of [
      ["20260301_1", MESSAGES] as const,
      ["20260301_2", MESSAGES.slice(0, 1)] as const,
    ])
      for (const [index, { role, created, content, ...more }] of messages.entries())
        database
          .prepare("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, ?)")
          .run(
            `m${index}`,
            session,
            role,
            JSON.stringify(content),
            created,
            JSON.stringify({ metadata: undefined, ...more }.metadata ?? {}),
          );
    database.close();
    const [bytes, logged] = [readFileSync(path), await importSession(lines)];
    const first = await importSession(bytes);
    expect(first).toMatchObject({ format: "goose", threadId: "20260301_1", malformed: [] });
    const spoken = (session: typeof first) =>
      session.messages.map(({ role, createdAt, parts, origin }) => [role, createdAt, parts, origin]);
    expect(spoken(first)).toEqual(spoken(logged));
    expect(first.warnings).toEqual([
      { kind: "more-threads", thread: 1, threads: 2, names: ["20260301_1", "20260301_2"] },
    ]);
    expect((await importSession(bytes, { thread: 2 })).messages).toHaveLength(1);
    expect(await brokenLaws(importerLaws({ bytes, format: "goose" }))).toEqual([]);
    const written = new TextEncoder().encode(first.source.text);
    expect(await brokenLaws(damageLaws({ bytes: written, format: "goose" }))).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});
