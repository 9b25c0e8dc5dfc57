import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { jsonDocument, jsonLines } from "../laws/importer-laws.ts";
import { UniqueIds } from "./session-ids.ts";

const user = (content: unknown) => ({ role: "user", content });
const said = (content: unknown) => ({ role: "assistant", content });
const called = (id: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "bash", arguments: "{}" } }],
});
const chat = (...messages: readonly object[]) => importSession(jsonDocument({ messages }));

describe("thread ids of growing logs", () => {
  it("stay the same with all message ids, in every log format", async () => {
    const log = [user("go"), said("one"), user("on"), said("two")];
    for (const form of [jsonLines, jsonDocument, (messages: readonly unknown[]) => jsonDocument({ messages })]) {
      const [short, long] = await Promise.all([log.slice(0, 2), log].map((part) => importSession(form(part))));
      expect(long?.threadId).toBe(short?.threadId);
      expect(long?.messages.slice(0, 2)).toEqual(short?.messages);
    }
    const blocks = [user([{ type: "text", text: "go" }]), said([{ type: "tool_use", id: "t", name: "n", input: {} }])];
    const [short, long] = await Promise.all([
      importSession(jsonDocument({ messages: blocks })),
      importSession(jsonDocument({ messages: [...blocks, user([{ type: "tool_result", tool_use_id: "t" }])] })),
    ]);
    expect([long?.format, long?.threadId]).toEqual(["anthropic-messages", short?.threadId]);
  });

  it("differ for sessions with the same task by first answer, call ids or start time", async () => {
    const sessions = await Promise.all([
      chat(user("hello"), said("one")),
      chat(user("hello"), said("two")),
      chat(user("hello"), called("c1")),
      chat(user("hello"), called("c2")),
      chat(user("hullo"), said("one")),
      importSession(jsonDocument({ start_time: "2026-01-01", messages: [user("hello"), said("one")] })),
      importSession(jsonDocument({ start_time: "2026-01-02", messages: [user("hello"), said("one")] })),
      importSession(jsonDocument({ instance_id: "i-1", messages: [user("hello"), said("one")] })),
    ]);
    expect(new Set(sessions.map(({ threadId }) => threadId)).size).toBe(sessions.length);
    expect(new Set(sessions.map(({ messages }) => messages[0]?.id)).size).toBe(sessions.length);
  });

  it("differ if the cache markers at the beginning of a log move", async () => {
    const marked = (text: string) => user([{ type: "text", text, cache_control: { type: "ephemeral" } }]);
    const plain = (text: string) => user([{ type: "text", text }]);
    const thinking = said([{ type: "thinking", thinking: "hm", signature: "s" }]);
    const [one, two] = await Promise.all([chat(marked("go"), thinking), chat(plain("go"), thinking, marked("on"))]);
    expect(one?.threadId).not.toBe(two?.threadId);
  });
});

describe("UniqueIds", () => {
  it("never gives an id twice, keeps free ids unchanged, and is deterministic", () => {
    const wanted = fc.oneof(
      fc.constantFrom("a", "a~2", "a~2~2", "b"),
      fc.string({ unit: "binary" }),
      fc.constantFrom("x".repeat(500), "y".repeat(600)),
    );
    fc.assert(
      fc.property(fc.array(wanted, { maxLength: 20 }), (list) => {
        const ids = new UniqueIds();
        const given = list.map((id) => ids.take(id));
        expect(new Set(given).size).toBe(list.length);
        expect(given.every((id) => id.isWellFormed() && !id.includes("\0") && id.length <= 512)).toBe(true);
        const again = new UniqueIds();
        expect(list.map((id) => again.take(id))).toEqual(given);
        const [first] = list;
        if (first?.isWellFormed() && !first.includes("\0") && first.length < 400) expect(given[0]).toBe(first);
      }),
      { numRuns: 300 },
    );
  });

  it("stays fast when the same id is requested a hundred thousand times", () => {
    const ids = new UniqueIds();
    for (let count = 0; count < 100_000; count++) ids.take("same");
    expect(ids.take("same")).toBe("same~100001");
  });
});
