import { describe, expect, it } from "vitest";
import { type ScriptedMessage, scriptedSession } from "../testing/scripted-log.ts";
import { sessionNeeds } from "./session-needs.ts";

/** Steps that say nothing of interest. */
const idle = (count: number): readonly ScriptedMessage[] =>
  Array.from({ length: count }, (_, index): readonly ScriptedMessage[] => [
    { calls: "wait", id: `idle_${index}`, input: {} },
    { result: "ok", id: `idle_${index}` },
  ]).flat();

function needsOfLastCall(script: readonly ScriptedMessage[]) {
  const needs = sessionNeeds(scriptedSession(script));
  return (needs.byCall.at(-1) ?? []).map(({ pattern, ...need }) => ({ text: needs.patterns[pattern], ...need }));
}

describe("sessionNeeds", () => {
  it("finds text of a tool result that a later call uses, with its age in calls", () => {
    const found = needsOfLastCall([
      { user: "Go." },
      { calls: "list", id: "a", input: {} },
      { result: "src/parser/read-line.ts", id: "a" },
      ...idle(11),
      { calls: "read", id: "b", input: { path: "src/parser/read-line.ts" } },
    ]);
    expect(found).toContainEqual({ text: "src/parser/read-line.ts", age: 11, cold: true });
  });

  it("finds a quote of several words", () => {
    const found = needsOfLastCall([
      { user: "It says: session is nil" },
      ...idle(11),
      { calls: "grep", id: "b", input: { pattern: '"session is nil"' } },
    ]);
    expect(found).toEqual([{ text: "session is nil", age: 11, cold: true }]);
  });

  it("counts the age from the last occurrence, including the agent's own calls", () => {
    const found = needsOfLastCall([
      { user: "Fix parse_line." },
      ...idle(9),
      { calls: "grep", id: "a", input: { pattern: "parse_line" } },
      { result: "nothing", id: "a" },
      ...idle(3),
      { calls: "grep", id: "b", input: { pattern: "parse_line" } },
    ]);
    expect(found).toEqual([{ text: "parse_line", age: 3, cold: false }]);
  });

  it("leaves out text that the agent was never given, and text that occurs nearly everywhere", () => {
    expect(
      needsOfLastCall([{ user: "Go." }, ...idle(3), { calls: "write", id: "a", input: { path: "new_file.ts" } }]),
    ).toEqual([]);
    const everywhere = Array.from({ length: 5 }, () => ({ user: "about common_name" }) as const);
    expect(needsOfLastCall([...everywhere, { calls: "grep", id: "a", input: { pattern: "common_name" } }])).toEqual([]);
  });

  it("keeps the forty rarest needs of a call", () => {
    const names = Array.from({ length: 60 }, (_, index) => `name_number_${index}`);
    const found = needsOfLastCall([
      { user: names.join(" ") },
      { calls: "note", id: "a", input: { text: names.slice(0, 30).join(" ") } },
      { result: "ok", id: "a" },
      ...idle(6),
      { calls: "write", id: "b", input: { text: names.join(" ") } },
    ]);
    expect(found).toHaveLength(40);
    expect(found.slice(0, 30).map(({ text }) => text)).toEqual(names.slice(30));
  });
});
