import type { FileItem, JsonObject, JsonValue, Message, NewItem, ToolCallPart } from "@threadfold/core";
import { plainToolName } from "../durability/built-in-durability.ts";

/** What tools that change files do to them, by tool name in lower case without separators. */
const ACTIONS: Readonly<Record<string, FileItem["action"]>> = {
  ...byName("created", "write writefile createfile create fswrite writetofile savefile"),
  ...byName(
    "modified",
    "edit editfile multiedit strreplace replace searchreplace replaceinfile applydiff notebookedit insert insertcontent",
  ),
  ...byName("deleted", "deletefile removefile"),
};
const EDITORS: ReadonlySet<string> = new Set(["strreplacebasededittool", "strreplaceeditor", "texteditor", "editor"]);
const PATCHES: ReadonlySet<string> = new Set(["applypatch", "patch"]);
const PATH_FIELDS = ["file_path", "path", "filepath", "filePath", "filename", "target_file", "notebook_path"];
const LONGEST_PATH = 300;

function byName(action: FileItem["action"], names: string): Readonly<Record<string, FileItem["action"]>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, action]));
}

/**
 * The files that calls wrote, edited or deleted, newest first, each with how often and by which messages. A call that
 * failed changed nothing. What shell commands do to files is not read here.
 */
export function changedFiles(messages: readonly Message[]): readonly NewItem<"files">[] {
  const failed = new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === "tool-result" && part.result.outcome === "failure" ? [part.result.callId] : [],
      ),
    ),
  );
  const files = new Map<string, NewItem<"files">>();
  for (const { id, parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool-call" || failed.has(part.callId)) continue;
      for (const { path, action } of changesOf(part)) {
        const before = files.get(path);
        files.delete(path);
        files.set(path, {
          path,
          // What was made in the span and edited there is a new file to whoever takes over.
          action: before?.action === "created" && action === "modified" ? "created" : action,
          description: "",
          changes: (before?.changes ?? 0) + 1,
          sources: [...new Set([...(before?.sources ?? []), id])],
        });
      }
    }
  }
  return [...files.values()].reverse();
}

type FileChange = Pick<FileItem, "path" | "action">;

function changesOf({ toolName, input }: ToolCallPart): readonly FileChange[] {
  const name = plainToolName(toolName.slice(Math.max(toolName.lastIndexOf("__") + 1, toolName.lastIndexOf(".") + 1)));
  if (PATCHES.has(name)) return patchedFiles(input);
  const fields = fieldsOf(input);
  const action = EDITORS.has(name) ? editorAction(fields) : ACTIONS[name];
  const path = PATH_FIELDS.map((field) => fields[field]).find((value) => typeof value === "string" && isPath(value));
  return action === undefined || path === undefined ? [] : [{ path: path as string, action }];
}

const fieldsOf = (input: JsonValue): JsonObject =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? (input as JsonObject) : {};

const isPath = (text: string): boolean =>
  text !== "" && text.length <= LONGEST_PATH && !/[\n\r]/.test(text) && text.isWellFormed();

/** Some editors name what they do; of the others the old text tells it that they replace. */
function editorAction({ command, old_text: replaced }: JsonObject): FileItem["action"] | undefined {
  if (command === "create") return "created";
  if (command === undefined && replaced !== undefined) return "modified";
  return command === "str_replace" || command === "insert" ? "modified" : undefined;
}

const PATCH_LINE = /^\*\*\* (Add|Update|Delete) File: (.+)$/gm;

function patchedFiles(input: JsonValue): readonly FileChange[] {
  const fields = fieldsOf(input);
  const patch = typeof input === "string" ? input : (fields["input"] ?? fields["patch"] ?? fields["diff"]);
  if (typeof patch !== "string") return [];
  return [...patch.matchAll(PATCH_LINE)]
    .map(([, verb, path = ""]): FileChange => {
      const action = verb === "Add" ? "created" : verb === "Delete" ? "deleted" : "modified";
      return { path: path.trim(), action };
    })
    .filter(({ path }) => isPath(path));
}

/** True for two spellings of one file: equal, or one is the end of the other. */
export const isSameFile = (path: string, other: string): boolean =>
  path === other || path.endsWith(`/${other}`) || other.endsWith(`/${path}`);
