import { AgentThread, asMessageId, emptyPlan, NO_RECORDS, sealPlan, spanOf, toChatMessage } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { exportSession, importSession } from "../importing/sessions.ts";
import { jsonLines } from "../laws/importer-laws.ts";
import type { ImportedSession } from "../session/imported-session.ts";

const AT = "2026-03-03T12:00:00.000Z";
const header = { type: "session", id: "session-1", timestamp: AT, cwd: "/repo" };
const said = (role: string, value: string) => ({
  type: "message",
  timestamp: AT,
  message: {
    role,
    content: [{ type: "text", text: value }],
    ...(role === "assistant" && { api: "anthropic-messages" }),
  },
});
const linked = (entry: object, id: string, parentId: string | null) => ({ ...entry, id, parentId });

const threadOf = ({ threadId, messages }: ImportedSession) => AgentThread.empty(threadId).append(messages);

/** The session with its first message summarized, as lines. */
async function folded(log: Uint8Array) {
  const imported = await importSession(log);
  const thread = threadOf(imported);
  const [first, ...rest] = [...thread.messages];
  if (first === undefined) throw new Error("The session is empty.");
  const drop = {
    action: "drop" as const,
    keywords: [],
    span: spanOf([first]),
    strategy: "test",
    reason: "for the test",
    sincePlanVersion: 1,
    originalTokens: 1,
  };
  const plan = sealPlan({
    ...NO_RECORDS,
    drops: [drop],
    threadId: thread.id,
    threadVersion: thread.version,
    version: 1,
    policyVersion: "test",
    createdAt: AT,
    originalTokens: 9,
    compactedTokens: 4,
  });
  const summary = {
    role: "user" as const,
    parts: [{ type: "text" as const, text: "What was said." }],
    sources: [first.id],
    synthetic: "summary" as const,
  };
  const window = [summary, ...rest.map(toChatMessage)];
  const exported = exportSession("pi", { thread, plan, window, at: AT, source: imported.source.text });
  return {
    imported,
    exported,
    lines: exported.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  };
}

describe("piExporter", () => {
  it("says which line of a version 1 log is nested too deeply to be upgraded", async () => {
    const deep = `{"type":"message","details":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const source = [header, said("user", "one")].map((line) => JSON.stringify(line)).join("\n");
    const { messages, threadId } = await importSession(new TextEncoder().encode(source));
    const thread = AgentThread.empty(threadId).append(messages);
    const session = { thread, plan: emptyPlan(threadId, "none"), window: [], at: AT, source: `${source}\n${deep}` };
    expect(() => exportSession("pi", session)).toThrow(
      expect.objectContaining({ code: "SOURCE_TOO_LARGE", message: expect.stringContaining("line 3") }),
    );
  });

  it("upgrades a version 1 log to version 3, and keeps what its compactions kept", async () => {
    const former = { type: "compaction", timestamp: AT, summary: "Before.", firstKeptEntryIndex: 2, tokensBefore: 7 };
    const log = jsonLines([header, said("user", "one"), said("assistant", "two"), former, said("user", "three")]);
    const { exported, lines } = await folded(log);
    expect(exported.warnings).toMatchObject([{ kind: "upgraded-log" }]);
    expect(lines[0]).toMatchObject({ type: "session", version: 3, id: "session-1" });
    expect(lines[1]).toMatchObject({ parentId: null, id: expect.stringMatching(/^[0-9a-f]{8}$/) });
    for (const [index, line] of lines.entries()) if (index > 1) expect(line.parentId).toBe(lines[index - 1].id);
    expect(lines[3]).toMatchObject({ type: "compaction", firstKeptEntryId: lines[2].id });
    expect(lines[3]).not.toHaveProperty("firstKeptEntryIndex");
    expect(lines.at(-1)).toMatchObject({ type: "compaction", summary: expect.stringContaining("Before.") });
    const again = await importSession(new TextEncoder().encode(exported.text));
    expect(again.compactions).toHaveLength(2);
    expect(again.warnings).toEqual([]);
  });

  it("renames the version 2 role, and leaves ids and broken lines of newer logs unchanged", async () => {
    const hook = { ...said("hookMessage", "note"), message: { role: "hookMessage", customType: "x", content: "note" } };
    const two = jsonLines([
      { ...header, version: 2 },
      linked(said("user", "one"), "a1", null),
      linked(hook, "a2", "a1"),
    ]);
    expect((await folded(two)).lines[2]).toMatchObject({ id: "a2", message: { role: "custom" } });
    const broken = '{"type":"message", broken';
    const three = [
      JSON.stringify({ ...header, version: 3 }),
      JSON.stringify(linked(said("user", "one"), "b1", null)),
      broken,
      JSON.stringify(linked(said("assistant", "two"), "b2", "b1")),
    ].join("\n");
    const imported = await importSession(new TextEncoder().encode(three));
    const thread = threadOf(imported);
    const session = {
      thread,
      plan: emptyPlan(thread.id, "none"),
      window: [...thread.messages].map(toChatMessage),
      at: AT,
    };
    expect(exportSession("pi", { ...session, source: three }).text).toBe(`${three}\n`);
  });

  it("moves kept messages into the summary up to a cleared one, which pi cannot show reworded", async () => {
    const ran = {
      type: "message",
      timestamp: AT,
      message: { role: "bashExecution", command: "ls", output: "a", exitCode: 0 },
    };
    const log = jsonLines([
      { ...header, version: 3 },
      linked(said("user", "one"), "c1", null),
      linked(ran, "c2", "c1"),
      linked(said("assistant", "two"), "c3", "c2"),
    ]);
    const imported = await importSession(log);
    const thread = threadOf(imported);
    const [first, command, last] = [...thread.messages];
    if (first === undefined || command === undefined || last === undefined) throw new Error("Messages are missing.");
    const plan = sealPlan({
      ...NO_RECORDS,
      clearings: [
        {
          action: "clear",
          targets: ["text"],
          preservedFields: {},
          span: spanOf([command]),
          strategy: "test",
          reason: "for the test",
          sincePlanVersion: 1,
          originalTokens: 1,
        },
      ],
      threadId: thread.id,
      threadVersion: thread.version,
      version: 1,
      policyVersion: "test",
      createdAt: AT,
      originalTokens: 9,
      compactedTokens: 4,
    });
    const emptied = {
      ...toChatMessage(command),
      parts: [{ type: "text" as const, text: "[cleared]" }],
      synthetic: "placeholder" as const,
    };
    const window = [toChatMessage(first), emptied, toChatMessage(last)];
    const { text } = exportSession("pi", { thread, plan, window, at: AT, source: imported.source.text });
    expect(JSON.parse(text.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      type: "compaction",
      firstKeptEntryId: "c3",
      summary: "[user, word for word]\none\n\n[cleared]",
    });
  });

  it("writes a new log for a thread without a source log", async () => {
    const thread = AgentThread.empty((await importSession(jsonLines([header, said("user", "x")]))).threadId).append([
      { id: asMessageId("m1"), role: "user", parts: [{ type: "text", text: "hello" }], createdAt: AT },
      { id: asMessageId("m2"), role: "system", parts: [{ type: "text", text: "rules" }], createdAt: AT },
      {
        id: asMessageId("m3"),
        role: "assistant",
        createdAt: AT,
        model: "gpt-5",
        usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 4 },
        parts: [
          {
            type: "tool-call",
            callId: "call_1" as never,
            toolName: "read",
            input: { path: "a" },
            providerMetadata: { openai: { itemId: "fc_1" } },
          },
        ],
      },
      { id: asMessageId("m4"), role: "user", branch: "side", parts: [{ type: "text", text: "aside" }], createdAt: AT },
    ]);
    const shown = [...thread.messages].filter(({ role, branch }) => role !== "system" && branch === undefined);
    const session = { thread, plan: emptyPlan(thread.id, "none"), window: shown.map(toChatMessage), at: AT };
    const { text, warnings } = exportSession("pi", session);
    expect(warnings.map(({ kind }) => kind).sort()).toEqual(["left-out-branch", "left-out-system"]);
    const { messages } = await importSession(new TextEncoder().encode(text));
    expect(messages).toMatchObject([
      { role: "user", parts: [{ text: "hello" }] },
      {
        role: "assistant",
        model: "gpt-5",
        usage: { inputTokens: 10 },
        parts: [{ callId: "call_1", input: { path: "a" }, providerMetadata: { openai: { itemId: "fc_1" } } }],
        metadata: { provider: "openai", api: "openai-responses" },
      },
    ]);
  });
});
