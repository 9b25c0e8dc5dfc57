import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { jsonValues } from "../laws/text-arbitrary.ts";
import {
  fileArgument,
  fileUse,
  hasRole,
  namesFile,
  onlyLooks,
  plainToolName,
  questionsToUser,
  toolArgument,
  toolKind,
} from "./tool-use.ts";

/** A name as agents spell it: in snake, camel, Pascal or kebab case. */
const spellings = (name: string): readonly string[] => {
  const words = name.split("_");
  const capitals = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return [name, `${words[0]}${capitals.slice(1).join("")}`, capitals.join(""), words.join("-")];
};

describe("the kind of a tool", () => {
  it.each([
    // Names and arguments as the tools' own descriptions have them.
    ["Claude Code", "Edit", { file_path: "a.ts", old_string: "x", new_string: "y" }, "edit"],
    ["Claude Code", "Bash", { command: "npm test" }, "shell"],
    ["Copilot", "replace_string_in_file", { filePath: "a.ts", oldString: "x", newString: "" }, "edit"],
    ["Copilot", "insert_edit_into_file", { filePath: "a.ts", explanation: "e", code: "x" }, "edit"],
    ["Copilot", "create_file", { filePath: "a.ts", content: "x" }, "write"],
    ["Copilot", "run_in_terminal", { command: "npm test", explanation: "e", isBackground: false }, "shell"],
    ["Windsurf", "replace_file_content", { TargetFile: "a", ReplacementChunks: [{ TargetContent: "x" }] }, "edit"],
    ["Windsurf", "write_to_file", { TargetFile: "a.ts", CodeContent: "x", EmptyFile: false }, "write"],
    ["Windsurf", "view_line_range", { AbsolutePath: "/a.ts", StartLine: 1, EndLine: 9 }, "read"],
    ["Windsurf", "run_command", { CommandLine: "npm test", Cwd: "/" }, "shell"],
    ["Kiro", "strReplace", { path: "a.ts", oldStr: "x", newStr: "y" }, "edit"],
    ["Kiro", "fsAppend", { path: "a.ts", text: "x" }, "edit"],
    ["Kiro", "executePwsh", { command: "dir" }, "shell"],
    [
      "Augment",
      "str-replace-editor",
      { command: "str_replace", path: "a.ts", old_str_1: "x", new_str_1: "y" },
      "editor",
    ],
    ["Augment", "save-file", { path: "a.ts", file_content: "x" }, "write"],
    ["Augment", "launch-process", { command: "npm test", wait: true, cwd: "/" }, "shell"],
    ["Jules", "overwrite_file_with_block", { filepath: "a.ts", content: "x" }, "write"],
    ["Jules", "replace_with_git_merge_diff", { filepath: "a.ts", merge_diff: "x" }, "edit"],
    ["Continue", "builtin_edit_existing_file", { filepath: "a.ts", changes: "x" }, "edit"],
    ["Continue", "builtin_create_new_file", { filepath: "a.ts", contents: "x" }, "write"],
    ["Serena", "mcp__serena__replace_regex", { relative_path: "a.ts", regex: "x", repl: "y" }, "edit"],
    ["Serena", "mcp__serena__create_text_file", { relative_path: "a.ts", content: "x" }, "write"],
    ["Serena", "mcp__serena__find_symbol", { name_path: "A", relative_path: "src" }, "search"],
    [
      "the file system's server",
      "filesystem.edit_file",
      { path: "a", edits: [{ oldText: "x", newText: "y" }] },
      "edit",
    ],
    ["the file system's server", "create_directory", { path: "src" }, "other"],
    ["Desktop Commander", "edit_block", { file_path: "a.ts", old_string: "x", new_string: "y" }, "edit"],
    ["Desktop Commander", "start_process", { command: "npm test", timeout_ms: 9 }, "shell"],
    ["JetBrains", "get_file_text_by_path", { pathInProject: "a.ts" }, "read"],
    ["Cursor", "delete_file", { target_file: "a.ts" }, "delete"],
    ["a search", "findSources", { pattern: "**/*.ts" }, "search"],
    ["a calendar", "calendar.create", { title: "t", start: "9:00" }, "other"],
    ["a pipeline", "mcp__ci__run", { pipeline: "p" }, "other"],
    ["a server of files", "mcp__files__write", { path: "a.ts", lines: ["x"] }, "write"],
    ["a server of shells", "mcp__sh__run_commands", { commands: ["ls", "pwd"] }, "shell"],
    ["a server of shells", "mcp__sh__batch", { commands: ["ls", "pwd"] }, "shell"],
    ["SWE-agent", "edit", { text: "x" }, "edit"],
    ["a mail", "send_mail", { to: "a", body: "b", file: "report.pdf" }, "other"],
    ["a phone book", "find_person", { name: "A" }, "other"],
    ["a list of its own", "set_plan_steps", { entries: [{ title: "a", done: false }] }, "todo"],
    ["a plan without states", "make_plan", { steps: [{ title: "a" }] }, "other"],
    ["an issue tracker", "update_issues", { issues: [{ title: "a", status: "open" }] }, "other"],
    ["an issue tracker", "create_issue", { title: "t", body: "b" }, "other"],
    ["a browser", "browser_type", { element: "e", text: "t" }, "other"],
    ["a search", "find_in_files", { path: "src", search: "x" }, "search"],
  ] as const)("of %s: %s", (_agent, name, input, kind) => {
    expect(toolKind(name, input)).toBe(kind);
  });

  it("is the same however its name and its arguments are spelled", () => {
    for (const [name, fields] of [
      ["change_text", ["file_path", "old_string", "new_string"]],
      ["run_command", ["command_line"]],
      ["save_file", ["target_file", "file_text"]],
      ["str_replace_based_edit_tool", ["path", "new_str"]],
    ] as const) {
      const kinds = spellings(name).flatMap((spelled, way) =>
        [0, 1, 2, 3].map((other) => {
          const input = Object.fromEntries(fields.map((field) => [spellings(field)[(way + other) % 4], "x"]));
          return `${toolKind(spelled, input)} ${fileUse(toolKind(spelled, input), input)} ${fileArgument(input)}`;
        }),
      );
      expect(new Set(kinds).size, name).toBe(1);
      expect(kinds[0]).not.toContain("other");
    }
  });

  it("is found for any name and any arguments, with a path that a line can hold", () => {
    fc.assert(
      fc.property(fc.string(), jsonValues, (name, input) => {
        fileUse(toolKind(name, input), input);
        const path = fileArgument(input);
        if (path !== undefined) expect(path).toMatch(/^[^\n\r]{1,300}$/);
      }),
      runs(300),
    );
  });
});

describe("the questions of a call to the user", () => {
  it.each([
    ["ask_user", { question: "Why?" }, ["Why?"]],
    ["AskUserQuestion", { questions: [{ question: "Why?" }, { question: "How?" }] }, ["Why?", "How?"]],
    ["mcp__hitl__request-user-input", { prompt: "Why?" }, ["Why?"]],
    ["question", { questions: ["Why?"] }, ["Why?"]],
    ["clarify", { question: "Why?" }, ["Why?"]],
    ["human", { query: "Why?" }, ["Why?"]],
    ["question", { id: 7, text: "Why?" }, []],
    ["ask_question", { repo: "a/b", question: "Why?" }, []],
    ["request_user_deletion", { user_id: "u7" }, []],
    ["get_user_messages", { query: "Why?" }, []],
    ["prompt_user", { prompt: 7 }, []],
  ] as const)("of %s with %j", (name, input, questions) => {
    expect(questionsToUser(name, input)).toEqual(questions);
  });
});

describe("a call that only looks", () => {
  it.each([
    ["get_order_details", { order_id: "7" }, true],
    ["kubectl_describe", { name: "a" }, true],
    ["zendesk_get_ticket", { ticket_id: 7 }, true],
    ["BrowserSnapshot", {}, true],
    ["query_database", { query: "update t set a = 1" }, false],
    ["execute_sql", { sql: "-- all\nWITH a AS (select 1) SELECT * FROM a" }, true],
    ["execute_sql", { query: "with a as (delete from t returning *) select * from a" }, false],
    ["modify_order", { order_id: "7" }, false],
    ["gmail_send_draft", { draft_id: "7" }, false],
    ["create_view", { name: "v" }, false],
    ["set_status", { status: "on" }, false],
    ["transmogrify", {}, false],
  ] as const)("as %s with %j: %s", (name, input, looks) => {
    expect(onlyLooks(name, input)).toBe(looks);
  });
});

describe("what a call does to its file", () => {
  it.each([
    ["editor", { command: "view", path: "a" }, "read"],
    ["editor", { command: "create", path: "a", file_text: "x" }, "created"],
    ["editor", { command: "insert", path: "a", insert_line: 1, new_str: "x" }, "modified"],
    ["editor", { path: "a", old_text: "x", new_text: "" }, "modified"],
    ["editor", { path: "a", new_text: "x" }, "created"],
    ["editor", { path: "a" }, "read"],
    ["editor", { command: "rename", path: "a", old_str: "x", new_str: "y" }, undefined],
    ["write", { path: "a" }, "created"],
    ["delete", { path: "a" }, "deleted"],
    ["shell", { command: "rm a" }, undefined],
  ] as const)("of kind %s with %j", (kind, input, use) => {
    expect(fileUse(kind, input)).toBe(use);
  });
});

describe("an argument", () => {
  it("is the one with the most telling name, and never an empty one", () => {
    expect(toolArgument({ path: "src", file_path: "a.ts" }, "file")).toBe("a.ts");
    expect(toolArgument({ file_path: "", path: "src" }, "file")).toBe("src");
    expect(fileArgument({ file_path: 1, path: "src" })).toBe("src");
    expect(toolArgument({ content: null }, "after")).toBeUndefined();
    expect(toolArgument(["path"], "file")).toBeUndefined();
    expect(hasRole("old_str_2", "before")).toBe(true);
    expect([namesFile("filePath"), namesFile("path")]).toEqual([true, false]);
    expect(fileArgument({ path: "two\nlines" })).toBeUndefined();
  });

  it("is compared in lower case without separators", () => {
    expect(plainToolName("mcp__Read-File.v2")).toBe("mcpreadfilev2");
  });
});
