import {
  AgentThread,
  asMessageId,
  asThreadId,
  asToolCallId,
  type JsonValue,
  type Message,
  type MessageInput,
} from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { changedFiles, isSameFile } from "./coded-changes.ts";

const createdAt = "2026-01-01T00:00:00.000Z";

/** Calls, each answered; a tool name that begins with `!` fails. */
function work(...calls: readonly (readonly [string, JsonValue])[]): readonly Message[] {
  const messages = calls.flatMap(([name, input], index): readonly MessageInput[] => {
    const [toolName, callId] = [name.replace("!", ""), asToolCallId(`call_${index}`)];
    const outcome = name.startsWith("!") ? "failure" : "success";
    const result = { toolName, callId, outcome, content: { type: "text", text: "ok" } } as const;
    return [
      {
        id: asMessageId(`a${index}`),
        role: "assistant",
        createdAt,
        parts: [{ type: "tool-call", callId, toolName, input }],
      },
      { id: asMessageId(`t${index}`), role: "tool", createdAt, parts: [{ type: "tool-result", result }] },
    ];
  });
  return [...AgentThread.empty(asThreadId("t")).append(messages).messages];
}

describe("changedFiles", () => {
  it("names what calls wrote, edited and deleted, newest first, once each", () => {
    const files = changedFiles(
      work(
        ["Write", { file_path: "src/a.ts", content: "" }],
        ["mcp__fs__edit_file", { path: "src/b.ts" }],
        ["Edit", { file_path: "src/a.ts" }],
        ["str_replace_based_edit_tool", { command: "view", path: "src/c.ts" }],
        ["str_replace_based_edit_tool", { command: "str_replace", path: "src/d.ts" }],
        ["editor", { path: "src/i.ts", old_text: "a", new_text: "b" }],
        ["editor", { path: "src/j.ts" }],
        ["apply_patch", "*** Begin Patch\n*** Delete File: src/e.ts\n*** Update File: src/f.ts\n*** End Patch"],
        ["Read", { file_path: "src/g.ts" }],
        ["!Edit", { file_path: "src/h.ts" }],
        ["Edit", { file_path: "two\nlines" }],
      ),
    );
    expect(files.map(({ path, action, changes }) => [path, action, changes])).toEqual([
      ["src/f.ts", "modified", 1],
      ["src/e.ts", "deleted", 1],
      ["src/i.ts", "modified", 1],
      ["src/d.ts", "modified", 1],
      ["src/a.ts", "created", 2],
      ["src/b.ts", "modified", 1],
    ]);
    expect(files.find(({ path }) => path === "src/a.ts")?.sources).toEqual(["a0", "a2"]);
  });
});

describe("isSameFile", () => {
  it("knows a path by its end, and no other path", () => {
    expect(isSameFile("/srv/app/src/a.ts", "src/a.ts")).toBe(true);
    expect(isSameFile("a.ts", "/srv/app/a.ts")).toBe(true);
    expect(isSameFile("/srv/app/data.ts", "a.ts")).toBe(false);
  });
});
