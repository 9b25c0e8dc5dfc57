import {
  AgentThread,
  type ChatMessage,
  emptyPlan,
  NO_RECORDS,
  type PlanRecords,
  sealPlan,
  spanOf,
  toChatMessage,
} from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { exportSession, importSession } from "../importing/sessions.ts";
import { jsonLines } from "../laws/importer-laws.ts";
import type { ImportedSession } from "../session/imported-session.ts";

const AT = "2026-03-03T12:00:00.000Z";
const common = { sessionId: "session-1", version: "2.1.1", isSidechain: false, cwd: "/repo", timestamp: AT };
const text = (value: string) => ({ type: "text", text: value });
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: { file: id } });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: `result of ${id}` });
const user = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
  ...common,
  type: "user",
  uuid,
  parentUuid,
  message: { role: "user", content },
  ...more,
});
const assistant = (uuid: string, parentUuid: string, id: string, block: object) => ({
  ...common,
  type: "assistant",
  uuid,
  parentUuid,
  requestId: "req_1",
  message: { id, role: "assistant", type: "message", model: "claude-opus-4-5", content: [block] },
});

/** Two turns; the second has a response of two lines, and the results of both calls on one line. */
const SESSION = [
  user("u1", null, "first task"),
  assistant("a1", "u1", "msg_1", text("done")),
  user("u2", "a1", "second task"),
  assistant("a2", "u2", "msg_2", { type: "thinking", thinking: "hm", signature: "sig" }),
  assistant("a3", "a2", "msg_2", call("t1")),
  assistant("a4", "a3", "msg_2", call("t2")),
  user("r1", "a4", [result("t1"), result("t2")], { toolUseResult: "A COPY" }),
  assistant("a5", "r1", "msg_3", text("all read")),
];

const threadOf = ({ threadId, messages }: ImportedSession) => AgentThread.empty(threadId).append(messages);

const planOf = (thread: AgentThread, records: Partial<PlanRecords>) =>
  sealPlan({
    ...NO_RECORDS,
    ...records,
    threadId: thread.id,
    threadVersion: thread.version,
    version: 1,
    policyVersion: "test",
    createdAt: AT,
    originalTokens: 100,
    compactedTokens: 50,
  });
const record = (thread: AgentThread, first: number, last: number) => ({
  span: spanOf([...thread.messagesBetween(first, last + 1)]),
  strategy: "test",
  reason: "for the test",
  sincePlanVersion: 1,
  originalTokens: 1,
});

/** The messages that Claude Code sends of a session: nothing from before the newest boundary. */
function sent({ messages, compactions }: ImportedSession) {
  const newest = compactions.at(-1)?.messageId;
  const from = newest === undefined ? 0 : messages.findIndex(({ id }) => id === newest);
  return messages.slice(from).map(({ role, parts }) => ({ role, parts }));
}

describe("claudeCodeExporter", () => {
  it("says which line repeats what is nested too deeply to be written", async () => {
    const source = new TextDecoder().decode(jsonLines(SESSION));
    const deep = `"cwd":${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const thread = threadOf(await importSession(new TextEncoder().encode(source)));
    const again = source.replaceAll('"cwd":"/repo"', deep);
    const plan = planOf(thread, { drops: [{ ...record(thread, 0, 0), action: "drop", keywords: [] }] });
    const [first, ...rest] = [...thread.messages].map(toChatMessage);
    const window: ChatMessage[] = [{ ...first!, role: "user", synthetic: "summary" }, ...rest];
    expect(() => exportSession("claude-code", { thread, plan, window, at: AT, source: again })).toThrow(
      expect.objectContaining({ code: "SOURCE_TOO_LARGE", message: expect.stringContaining(plan.planId) }),
    );
  });

  /** The first turn folded into a summary, and the first result of the second one emptied. */
  async function folded() {
    const imported = await importSession(jsonLines(SESSION));
    const thread = threadOf(imported);
    const emptied = thread.messageAt(4);
    if (emptied?.parts[0]?.type !== "tool-result") throw new Error("The session is not as it was written.");
    const plan = planOf(thread, {
      drops: [{ ...record(thread, 0, 1), action: "drop", keywords: [] }],
      clearings: [{ ...record(thread, 4, 4), action: "clear", targets: ["tool-result"], preservedFields: {} }],
    });
    const summary: ChatMessage = {
      role: "user",
      parts: [{ type: "text", text: "What was done before." }],
      sources: [...thread.messagesBetween(0, 2)].map(({ id }) => id),
      synthetic: "summary",
    };
    const placeholder = {
      ...toChatMessage(emptied),
      synthetic: "placeholder" as const,
      parts: [
        {
          ...emptied.parts[0],
          result: { ...emptied.parts[0].result, content: { type: "text" as const, text: "[cleared]" } },
        },
      ],
    };
    const kept = [...thread.messagesBetween(2)].map((message) => (message === emptied ? placeholder : message));
    const window = [summary, ...kept.map((message) => ("synthetic" in message ? message : toChatMessage(message)))];
    const exported = exportSession("claude-code", { thread, plan, window, at: AT, source: imported.source.text });
    return { imported, thread, plan, window, exported, lines: exported.text.trimEnd().split("\n") };
  }

  it("writes an attachment again as it was, or as a message if the plan shows it changed", async () => {
    const attachment = { type: "skill_listing", content: "- x: does x" };
    const attached = { ...common, type: "attachment", uuid: "s1", parentUuid: "u1", attachment };
    const imported = await importSession(jsonLines([user("u1", null, "first task"), attached]));
    const thread = threadOf(imported);
    const drops = [{ ...record(thread, 0, 0), action: "drop" as const, keywords: [] }];
    const targets = ["media" as const];
    const clearings = [{ ...record(thread, 1, 1), action: "clear" as const, targets, preservedFields: {} }];
    const [kept] = [...thread.messagesBetween(1)].map(toChatMessage) as [ChatMessage];
    const cut = { ...kept, synthetic: "placeholder" as const, parts: [{ type: "text" as const, text: "[cut]" }] };
    const again = (records: Partial<PlanRecords>, chat: ChatMessage) => {
      const session = { thread, plan: planOf(thread, records), window: [chat], at: AT };
      const exported = exportSession("claude-code", { ...session, source: imported.source.text });
      return JSON.parse(exported.text.trimEnd().split("\n").at(-1) ?? "");
    };
    expect(again({ drops }, kept)).toMatchObject({ type: "attachment", attachment });
    const changed = again({ drops, clearings }, cut);
    expect(changed).toMatchObject({ type: "user", message: { content: [text("[cut]")] }, isMeta: true });
    expect(changed).not.toHaveProperty("attachment");
  });

  it("appends a boundary, a summary and the kept messages to the log", async () => {
    const { imported, exported, lines, plan } = await folded();
    expect(exported.text.startsWith(imported.source.text.trimEnd())).toBe(true);
    const added = lines.slice(SESSION.length).map((line) => JSON.parse(line));
    expect(added).toHaveLength(exported.added);
    expect(added[0]).toMatchObject({
      type: "system",
      subtype: "compact_boundary",
      parentUuid: null,
      logicalParentUuid: "a5",
      sessionId: "session-1",
      cwd: "/repo",
      compactMetadata: { trigger: "manual", preTokens: 100, threadfold: { planId: plan.planId } },
    });
    expect(added[1]).toMatchObject({
      type: "user",
      parentUuid: added[0].uuid,
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
      message: {
        role: "user",
        content: expect.stringMatching(/^This session is being continued[^]*What was done before\.$/),
      },
    });
    for (const [index, line] of added.entries()) if (index > 0) expect(line.parentUuid).toBe(added[index - 1].uuid);
    const uuids = lines.map((line) => JSON.parse(line).uuid);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  it("shows the plan's view when imported again, and loses none of the original messages", async () => {
    const { imported, exported, window } = await folded();
    const again = await importSession(new TextEncoder().encode(exported.text));
    const [summary, ...tail] = sent(again);
    expect(JSON.stringify(summary)).toContain("What was done before.");
    expect(tail).toEqual(window.slice(1).map(({ role, parts }) => ({ role, parts })));
    expect(again.messages.slice(0, imported.messages.length)).toEqual(imported.messages);
    expect(again.warnings).toEqual([]);
    expect(again.malformed).toEqual([]);
  });

  it("repeats response lines unchanged, and removes the duplicate result from a line with a cleared result", async () => {
    const { lines } = await folded();
    const added = lines.slice(SESSION.length + 2).map((line) => JSON.parse(line));
    expect(added.filter(({ message }) => message.id === "msg_2").map(({ message }) => message.content)).toEqual([
      [{ type: "thinking", thinking: "hm", signature: "sig" }],
      [call("t1")],
      [call("t2")],
    ]);
    expect(JSON.stringify(added)).not.toContain("A COPY");
  });

  it("returns the log unchanged if nothing is folded", async () => {
    const imported = await importSession(jsonLines(SESSION));
    const thread = threadOf(imported);
    const session = {
      thread,
      plan: emptyPlan(thread.id, "none"),
      window: [...thread.messages].map(toChatMessage),
      at: AT,
    };
    const { text, added } = exportSession("claude-code", { ...session, source: imported.source.text });
    expect([text.trimEnd(), added]).toEqual([imported.source.text.trimEnd(), 0]);
  });

  it("writes a new log for another tool's session, and reports what it could not carry over", async () => {
    const imported = await importSession(
      jsonLines([
        { type: "session", id: "pi-session", timestamp: AT, cwd: "/repo" },
        { type: "message", timestamp: AT, message: { role: "user", content: "hello" } },
        {
          type: "message",
          timestamp: AT,
          message: {
            role: "assistant",
            api: "openai-responses",
            provider: "openai",
            model: "gpt-5",
            content: [{ type: "thinking", thinking: "hm", thinkingSignature: "sig" }, text("hi")],
          },
        },
      ]),
    );
    const thread = threadOf(imported);
    const window = [...thread.messages].map(toChatMessage);
    const exported = exportSession("claude-code", { thread, plan: emptyPlan(thread.id, "none"), window, at: AT });
    expect(exported.warnings).toMatchObject([{ kind: "left-out-reasoning" }]);
    const again = await importSession(new TextEncoder().encode(exported.text));
    expect(again.format).toBe("claude-code");
    expect(sent(again)).toEqual([
      { role: "user", parts: [{ type: "text", text: "hello" }] },
      { role: "assistant", parts: [{ type: "text", text: "hi" }] },
    ]);
  });

  it("refuses another tool's source", async () => {
    const imported = await importSession(jsonLines(SESSION));
    const thread = threadOf(imported);
    const session = { thread, plan: emptyPlan(thread.id, "none"), window: [], at: AT, source: '{"type":"session"}\n' };
    expect(() => exportSession("claude-code", session)).toThrow(expect.objectContaining({ code: "WRONG_FORMAT" }));
  });
});
