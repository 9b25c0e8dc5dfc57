import { describe, expect, it } from "vitest";
import { SessionLog } from "./session-log.mjs";

const call = (name) => ({ name, arguments: { path: "a.txt" } });

function record(name) {
  const log = new SessionLog(name);
  log.user("Read both.");
  const ids = log.assistant("", [call("read"), call("read")]);
  for (const id of ids) log.toolResult(id, "read", { text: "abc", isError: false });
  log.assistant("Read.", []);
  return log;
}

const entriesOf = (log) =>
  log
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("the session log", () => {
  it("is the same bytes for the same session and other ids for another", () => {
    expect(record("one").toString()).toBe(record("one").toString());
    const ids = (name) => entriesOf(record(name)).map(({ id }) => id);
    expect(new Set([...ids("one"), ...ids("two")]).size).toBe(ids("one").length * 2);
  });

  it("chains every entry to the one before it, later in time", () => {
    const [header, first, ...rest] = entriesOf(record("one"));
    expect(header).toMatchObject({ type: "session", version: 3, cwd: "/repo" });
    expect(first.parentId).toBeNull();
    rest.reduce((before, entry) => {
      expect(entry.parentId).toBe(before.id);
      expect(entry.timestamp > before.timestamp).toBe(true);
      return entry;
    }, first);
  });

  it("gives parallel calls ids of their own, and each result its call's", () => {
    const messages = entriesOf(record("one")).flatMap(({ message }) => message ?? []);
    const calls = messages.flatMap(({ content }) => content).filter(({ type }) => type === "toolCall");
    const answered = messages.filter(({ role }) => role === "toolResult").map(({ toolCallId }) => toolCallId);
    expect(calls).toHaveLength(2);
    expect(answered).toEqual(calls.map(({ id }) => id));
    expect(new Set(answered).size).toBe(2);
  });

  it("counts the characters that a model would see", () => {
    expect(record("one").size()).toEqual({ messages: 5, characters: 10 + 2 * '{"path":"a.txt"}'.length + 2 * 3 + 5 });
  });
});
