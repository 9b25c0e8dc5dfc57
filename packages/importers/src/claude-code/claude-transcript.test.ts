import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonLines } from "../laws/importer-laws.ts";

const common = {
  sessionId: "session-1",
  version: "2.1.220",
  isSidechain: false,
  timestamp: "2026-09-01T10:00:00.000Z",
};
const text = (value: string) => ({ type: "text", text: value });
const line = (
  type: "user" | "assistant",
  uuid: string,
  parentUuid: string | null,
  content: unknown,
  more: object = {},
) => {
  return { ...common, type, uuid, parentUuid, message: { id: `of ${uuid}`, role: type, content }, ...more };
};
const user = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) =>
  line("user", uuid, parentUuid, content, more);
const call = { type: "tool_use", id: "t1", name: "Read", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "x" };

describe("ClaudeTranscript", () => {
  const attached = (uuid: string, parentUuid: string, attachment: object, more: object = {}) => {
    return { ...common, type: "attachment", uuid, parentUuid, attachment, ...more };
  };
  const queued = (uuid: string, prompt: unknown, more: object = {}) =>
    attached(uuid, "u1", { type: "queued_command", prompt, commandMode: "prompt", ...more });

  it("reads what the user typed while the model worked, and no other queued text as the user's", async () => {
    const bytes = jsonLines([
      user("u1", null, "begin"),
      line("assistant", "a1", "u1", [call]),
      user("r1", "a1", [result]),
      queued("q1", "and tests"),
      queued("q2", [
        text("and docs"),
        { type: "image", source: { type: "base64", media_type: "image/png", data: "x" } },
      ]),
      queued("q3", "typed", { origin: { kind: "human" } }),
      queued("q4", "<task-notification>\n</task-notification>", { commandMode: "task-notification" }),
      queued("q5", "from a peer", { origin: { kind: "peer" } }),
      user("u6", "u1", "from a peer", { origin: { kind: "peer" } }),
      user("u7", "u1", '<teammate-message teammate_id="a">\nDone.\n</teammate-message>'),
      user("u8", "u1", "<ide_opened_file>The user opened a.ts.</ide_opened_file>"),
      user("u9", "u1", "<ide_opened_file>The user opened a.ts.</ide_opened_file>\nWhy?"),
      line("assistant", "a2", "q3", [text("done")]),
    ]);
    const { messages, warnings } = await importSession(bytes);
    const users = messages.filter(({ role }) => role === "user");
    expect(users.map(({ id, origin, parts }) => [id, origin, ...parts.map(({ type }) => type)])).toEqual([
      ["u1", undefined, "text"],
      ["q1", undefined, "text"],
      ["q2", undefined, "text", "image"],
      ["q3", undefined, "text"],
      ...["q4", "q5", "u6", "u7", "u8"].map((id) => [id, "harness", "text"]),
      ["u9", undefined, "text"],
    ]);
    expect(warnings).toEqual([]);
    expect(await brokenLaws(importerLaws({ bytes, format: "claude-code" }))).toEqual([]);
  });

  it.each([
    [{ type: "file", filename: "/a.ts", content: { type: "text", file: { content: "x = 1" } } }, "/a.ts\n\nx = 1"],
    [{ type: "directory", path: "/src", content: "a.ts" }, "/src\n\na.ts"],
    [{ type: "nested_memory", path: "/CLAUDE.md", content: { content: "No any." } }, "/CLAUDE.md\n\nNo any."],
    [{ type: "edited_text_file", filename: "/a.ts", snippet: "1\tx" }, "/a.ts\n\n1\tx"],
    [{ type: "plan_file_reference", planFilePath: "/p.md", planContent: "# Plan" }, "/p.md\n\n# Plan"],
    [{ type: "hook_additional_context", content: ["Mind", "the style."] }, "Mind\nthe style."],
    [{ type: "mcp_instructions_delta", addedBlocks: ["## a", "b"] }, "## a\nb"],
    [{ type: "skill_listing", content: "- x" }, "- x"],
    [{ type: "file", filename: "/a.png", content: { type: "image", file: { base64: "x" } } }, undefined],
    [{ type: "task_reminder", content: [{ subject: "x" }] }, undefined],
    [{}, undefined],
  ])(
    "reads what Claude Code attaches as its own words, and reports what it cannot read: %j",
    async (attachment, said) => {
      const { messages, warnings } = await importSession(
        jsonLines([user("u1", null, "begin"), attached("a1", "u1", attachment)]),
      );
      const type = `attachment/${"type" in attachment ? attachment.type : "other"}`;
      expect([messages.slice(1), warnings]).toMatchObject(
        said === undefined
          ? [[], [{ kind: "unknown-record", type, count: 1, firstLine: 2 }]]
          : [[{ id: "a1", role: "user", origin: "harness", parts: [text(said)] }], []],
      );
    },
  );
});
