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
    [
      { type: "invoked_skills", skills: [{ name: "pdf", path: "/SKILL.md", content: "Read it." }] },
      "/SKILL.md\n\nRead it.",
    ],
    [{ type: "relevant_memories", memories: [{ path: "/m.md", content: "No any.", mtimeMs: 1 }] }, "/m.md\n\nNo any."],
    [{ type: "task_reminder", content: [{ id: 1, status: "pending", subject: "Test" }] }, "[pending] Test"],
    [{ type: "todo_reminder", content: [{ status: "completed", content: "Build" }] }, "[completed] Build"],
    [
      {
        type: "diagnostics",
        files: [
          {
            uri: "/a.ts",
            diagnostics: [{ severity: "Error", message: "No.", range: { start: { line: 6, character: 0 } } }],
          },
        ],
      },
      "/a.ts\n7: [Error] No.",
    ],
    [
      { type: "mcp_resource", server: "s", uri: "r://1", content: { contents: [{ uri: "r://1", text: "body" }] } },
      "r://1\n\nbody",
    ],
    [
      { type: "task_status", taskId: "b1", description: "Build", status: "completed", deltaSummary: "Two files." },
      "Build\n\n[completed] Two files.",
    ],
    [{ type: "async_hook_response", response: { hookSpecificOutput: { additionalContext: "Mind it." } } }, "Mind it."],
    [{ type: "hook_success", hookEvent: "SessionStart", hookName: "SessionStart", content: "Be kind." }, "Be kind."],
    [
      { type: "hook_blocking_error", hookName: "Stop", blockingError: { blockingError: "Not yet.", command: "x" } },
      "Not yet.",
    ],
    [{ type: "hook_stopped_continuation", hookName: "Stop", message: "Enough." }, "Enough."],
    [{ type: "critical_system_reminder", content: "Never." }, "Never."],
    [{ type: "deferred_tools_delta", addedLines: ["a: does a"], addedNames: ["a"] }, "a: does a"],
    [{ type: "agent_listing_delta", addedLines: ["- explore"], addedTypes: ["explore"] }, "- explore"],
    [{ type: "memory_update", summary: "One file." }, "One file."],
    [{ type: "teammate_mailbox", messages: [{ from: "a", text: "Done." }] }, "a\n\nDone."],
    [{ type: "opened_file_in_ide", filename: "/a.ts" }, "/a.ts"],
    [
      { type: "file", filename: "/a.ipynb", content: { type: "notebook", file: { cells: [{ source: "x = 1" }] } } },
      "/a.ipynb\n\nx = 1",
    ],
    [{ type: "file", filename: "/a.png", content: { type: "image", file: { base64: "x" } } }, undefined],
    [{ type: "dream", content: [{ subject: "x" }] }, undefined],
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

  it("reads pictures and documents that Claude Code attaches", async () => {
    const file = (filename: string, type: string, more: object) =>
      attached(filename, "u1", { type: "file", filename, content: { type, file: { base64: "aGk=", ...more } } });
    const bytes = jsonLines([
      user("u1", null, "begin"),
      file("/a.png", "image", { type: "image/png", originalSize: 2 }),
      file("/b.pdf", "pdf", { filePath: "/b.pdf", originalSize: 2 }),
      file("/c.pdf", "pdf", { filePath: "/c.pdf", base64: "" }),
      line("assistant", "a1", "/b.pdf", [text("Seen.")]),
    ]);
    const { messages, warnings } = await importSession(bytes);
    const source = (mediaType: string) => ({ kind: "base64", mediaType, data: "aGk=" });
    expect(messages.slice(1, 4).map(({ origin, parts }) => [origin, parts])).toEqual([
      ["harness", [text("/a.png"), { type: "image", source: source("image/png") }]],
      ["harness", [text("/b.pdf"), { type: "file", source: source("application/pdf") }]],
      ["harness", [text("/c.pdf")]],
    ]);
    expect(warnings).toEqual([]);
    expect(await brokenLaws(importerLaws({ bytes, format: "claude-code" }))).toEqual([]);
  });

  it("does not warn of attachments and lines that no model is sent, or that only name a mode", async () => {
    const types = ["dynamic_skill", "hook_non_blocking_error", "already_read_file", "plan_mode", "token_usage"];
    const lines = ["content-replacement", "tag", "agent-color", "worktree-state", "attribution-snapshot", "relocated"];
    const bytes = jsonLines([
      user("u1", null, "begin"),
      ...types.map((type) => attached(type, "u1", { type, content: "x" })),
      attached("h", "u1", { type: "hook_success", hookEvent: "PostToolUse", content: "formatted" }),
      attached("t", "u1", { type: "todo_reminder", content: [] }),
      ...lines.map((type) => ({ type, sessionId: "session-1" })),
    ]);
    const { messages, warnings, nonPrompt } = await importSession(bytes);
    expect([messages.length, warnings]).toEqual([1, []]);
    expect(nonPrompt.map(({ kind }) => kind)).toEqual([
      ...[...types, "hook_success", "todo_reminder"].map((type) => `attachment/${type}`),
      ...lines,
    ]);
  });

  it("reads what local commands printed, which Claude Code sends in the user's place", async () => {
    const local = (uuid: string, content: string) => ({
      ...{ ...common, type: "system", subtype: "local_command", uuid, parentUuid: "u1", content, level: "info" },
    });
    const bytes = jsonLines([
      user("u1", null, "begin"),
      local("l1", "<command-name>/usage</command-name>"),
      local("l2", "<local-command-stdout>42 %</local-command-stdout>"),
      { ...common, type: "system", subtype: "informational", uuid: "i1", parentUuid: "u1", content: "Shown." },
      line("assistant", "a1", "l2", [text("I see.")]),
    ]);
    const { messages, nonPrompt } = await importSession(bytes);
    expect(messages.map(({ id, role, origin, parts }) => [id, role, origin, ...parts])).toEqual([
      ["u1", "user", undefined, text("begin")],
      ["l1", "user", undefined, text("<command-name>/usage</command-name>")],
      ["l2", "user", "harness", text("<local-command-stdout>42 %</local-command-stdout>")],
      ["a1", "assistant", undefined, text("I see.")],
    ]);
    expect(nonPrompt).toEqual([{ kind: "system/informational", lines: [4] }]);
    expect(await brokenLaws(importerLaws({ bytes, format: "claude-code" }))).toEqual([]);
  });
});
