import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brokenLaws } from "@threadfold/core/laws";
import { afterAll, describe, expect, it } from "vitest";
import { importSession, importSessionFile } from "../importing/sessions.ts";
import { damageLaws, importerLaws } from "../laws/importer-laws.ts";

const folder = mkdtempSync(join(tmpdir(), "threadfold-crush-"));
afterAll(() => rmSync(folder, { recursive: true }));

const part = (type: string, data: object) => ({ type, data });
const text = (words: string, more = {}) => part("text", { text: words, ...more });
const finish = (reason: string) => part("finish", { reason, time: 1_772_359_209 });

const MESSAGES = [
  [
    "m1",
    "s1",
    "user",
    [text("What is here?"), part("binary", { Path: "a.png", MIMEType: "image/png", Data: "iVBORw==" }), finish("stop")],
    null,
  ],
  [
    ...["m2", "s1", "assistant"],
    [
      part("reasoning", { thinking: "I look.", signature: "c2ln", thought_signature: "", started_at: 1 }),
      text("I look."),
      part("tool_call", { id: "c1", name: "ls", input: '{"path":"."}', finished: true }),
      part("tool_call", { id: "c2", name: "bash", input: '{"command":"mak', finished: false }),
      finish("tool_use"),
    ],
    "claude-sonnet-5",
  ],
  [
    ...["m3", "s1", "tool"],
    [
      part("tool_result", { tool_call_id: "c1", name: "ls", content: "a.ts", is_error: false }),
      part("tool_result", { tool_call_id: "c2", name: "bash", content: "It was declined.", is_error: true }),
      finish("stop"),
    ],
    null,
  ],
  ["m4", "s1", "assistant", [text("A file, a.ts, was looked at."), finish("end_turn")], "claude-sonnet-5", 1],
  [
    "m5",
    "s1",
    "user",
    [text("Go on.", { hidden: true }), part("shell_command", { command: "ls", output: "a.ts", exit_code: 0 })],
    null,
  ],
  ["m6", "s2", "user", [text("Another session.")], null],
] as const;

let made = 0;

/** A database as Crush makes it, with what this importer reads of its columns. */
function crushDatabase(sessions: readonly string[]): string {
  const path = join(folder, `${made++}.db`);
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = wal;
    CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0, created_at INTEGER NOT NULL);
    CREATE TABLE files (id TEXT PRIMARY KEY, content TEXT NOT NULL);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts BLOB NOT NULL default '[]', model TEXT, created_at INTEGER NOT NULL, is_summary_message INTEGER NOT NULL DEFAULT 0);
    INSERT INTO files VALUES ('f1', 'what no model was sent');`);
  for (const id of sessions)
    database.prepare("INSERT INTO sessions VALUES (?, NULL, 'Files', 0, 0.25, 1772359200)").run(id);
  for (const [index, [id, session, role, parts, model, isSummary = 0]] of MESSAGES.entries()) {
    if (!sessions.includes(session)) continue;
    database
      .prepare("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(id, session, role, Buffer.from(JSON.stringify(parts)), model, 1_772_359_202 + index, isSummary);
  }
  database.close();
  return path;
}

describe("crushImporter", () => {
  it("reads a database session with thinking, calls and results, images, times and the summary", async () => {
    const session = await importSessionFile(crushDatabase(["s1"]));
    expect(session).toMatchObject({ format: "crush", threadId: "s1", model: "claude-sonnet-5", malformed: [] });
    expect(session.messages.map(({ id, role, createdAt }) => [id, role, createdAt])).toEqual([
      ["m1", "user", "2026-03-01T10:00:02.000Z"],
      ["m2", "assistant", "2026-03-01T10:00:03.000Z"],
      ["m3", "tool", "2026-03-01T10:00:04.000Z"],
      ["m3.1", "tool", "2026-03-01T10:00:04.000Z"],
      ["m4", "assistant", "2026-03-01T10:00:05.000Z"],
      ["m5", "user", "2026-03-01T10:00:06.000Z"],
    ]);
    expect(session.messages[0]?.parts[1]).toEqual({
      ...{ type: "image", name: "a.png" },
      source: { kind: "base64", mediaType: "image/png", data: "iVBORw==" },
    });
    expect(session.messages[1]?.parts).toEqual([
      { type: "reasoning", text: "I look.", provider: "anthropic", signature: "c2ln" },
      { type: "text", text: "I look." },
      { type: "tool-call", callId: "c1", toolName: "ls", input: { path: "." } },
      { type: "tool-call", callId: "c2", toolName: "bash", input: '{"command":"mak' },
    ]);
    expect(session.messages.slice(2, 4).map(({ parts }) => parts[0])).toMatchObject([
      { result: { callId: "c1", toolName: "ls", outcome: "success", content: { type: "text", text: "a.ts" } } },
      { result: { callId: "c2", outcome: "failure", content: { type: "text", text: "It was declined." } } },
    ]);
    expect(session.messages.slice(4).map(({ origin }) => origin)).toEqual(["compaction", "harness"]);
    expect(session.messages[5]?.parts[1]).toEqual({ type: "text", text: "$ ls\na.ts\n(exit code 0)" });
    expect(session.compactions).toEqual([{ messageId: "m4" }]);
    expect(session.source.text).not.toContain("what no model was sent");
  });

  it("reads commands that the user ran, attached texts and OpenAI's reasoning as Crush sends them", async () => {
    const row = (id: string, role: string, parts: readonly object[]) =>
      JSON.stringify({ table: "messages", id, session_id: "s1", role, parts: JSON.stringify(parts), created_at: 1 });
    const ran = part("shell_command", { command: "make", output: "\u001b[31mbad\u001b[0m", exit_code: 2 });
    const notes = part("binary", { Path: "a.md", MIMEType: "text/markdown", Data: "Tm8gdGFicy4=" });
    const data = { item_id: "rs_1", encrypted_content: "ZW5j", summary: ["I look."] };
    const reasoning = part("reasoning", { thinking: "I look.", signature: "", responses_data: { type: "x", data } });
    const rows = [
      row("m1", "user", [ran]),
      row("m2", "user", [text("Mind it"), notes]),
      row("m3", "assistant", [reasoning]),
    ];
    const bytes = new TextEncoder().encode(rows.join("\n"));
    const { messages } = await importSession(bytes);
    const plain = (words: string) => ({ type: "text", text: words });
    expect(messages.map(({ id, origin, parts }) => [id, origin, parts])).toEqual([
      ["m1", "harness", [plain("$ make\nbad\n(exit code 2)")]],
      ["m2", undefined, [plain("Mind it")]],
      ["m2.added", "harness", [plain("<file path='a.md'>\n\nNo tabs.\n</file>")]],
      ["m3", undefined, [expect.objectContaining({ provider: "openai", text: "I look.", encrypted: "ZW5j" })]],
    ]);
    const item = { type: "reasoning", id: "rs_1" };
    expect(messages[3]?.parts[0]).toMatchObject({ providerMetadata: { openai: { item } } });
    expect(await brokenLaws(importerLaws({ bytes, format: "crush" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes, format: "crush" }))).toEqual([]);
  });

  it("keeps the importer laws, for a database and for its exported lines", async () => {
    const path = crushDatabase(["s1", "s2"]);
    const bytes = readFileSync(path);
    expect(await brokenLaws(importerLaws({ bytes, format: "crush" }))).toEqual([]);
    const { source } = await importSession(bytes);
    const lines = new TextEncoder().encode(source.text);
    expect(await brokenLaws(damageLaws({ bytes: lines, format: "crush" }))).toEqual([]);
    const [first, second] = await Promise.all([importSessionFile(path), importSessionFile(path, { thread: "s2" })]);
    expect(first.warnings).toEqual([{ kind: "more-threads", thread: 1, threads: 2, names: ["s1", "s2"] }]);
    expect([first.threadId, second.threadId, second.messages.length]).toEqual(["s1", "s2", 1]);
  });

  it("reads rows that are still in the write-ahead log, and changes no file", async () => {
    const path = crushDatabase(["s1", "s2", "s3"]);
    const program = new DatabaseSync(path);
    program.exec("PRAGMA wal_autocheckpoint = 0");
    program
      .prepare("INSERT INTO messages VALUES ('m9', 's1', 'user', ?, NULL, 1772359300, 0)")
      .run(JSON.stringify([text("Late.")]));
    const before = readFileSync(path);
    const { messages } = await importSessionFile(path);
    expect(messages.at(-1)?.parts).toEqual([{ type: "text", text: "Late." }]);
    expect(readFileSync(path).equals(before)).toBe(true);
    program.close();
  });

  it("refuses a damaged, foreign or too large database with a typed error", async () => {
    const path = crushDatabase(["s1"]);
    const cut = readFileSync(path).subarray(0, 4_000);
    await expect(importSession(cut)).rejects.toMatchObject({
      code: "UNREADABLE_SOURCE",
      hint: expect.stringContaining("damaged"),
    });
    const limits = { maxBytes: 200 };
    await expect(importSessionFile(path, { limits })).rejects.toMatchObject({ code: "SOURCE_TOO_LARGE" });
    const notes = join(folder, "notes.db");
    const other = new DatabaseSync(notes);
    other.exec("CREATE TABLE notes (id TEXT)");
    other.close();
    await expect(importSessionFile(notes)).rejects.toMatchObject({ code: "UNKNOWN_FORMAT" });
  });
});
