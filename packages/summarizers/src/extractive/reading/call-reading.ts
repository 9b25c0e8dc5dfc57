import type { JsonValue, ToolCallPart } from "@threadfold/core";
import { oneLine } from "../text/excerpt.ts";
import { type FileAction, patchFileActions, shellFileActions } from "../tools/file-action.ts";
import { type ToolKind, toolKind } from "../tools/tool-kind.ts";
import type { Place } from "./place.ts";

/** A tool call, as far as its name and arguments tell what it does. */
export interface CallReading {
  readonly place: Place;
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly input: JsonValue;
  /** The first line of a shell command, without the change of folder before it. */
  readonly command: string | null;
  readonly files: readonly FileAction[];
}

const PATH_FIELDS = [
  "file_path",
  "path",
  "filepath",
  "filePath",
  "filename",
  "target_file",
  "notebook_path",
  "absolute_path",
  "file",
];
const COMMAND_FIELDS = ["command", "cmd", "script", "code"];
const EDITOR_ACTIONS: Readonly<Record<string, FileAction["action"]>> = {
  view: "read",
  create: "created",
  str_replace: "modified",
  insert: "modified",
  undo_edit: "modified",
};
const MAX_COMMAND = 400;
const LEADING_FOLDER_CHANGE = /^\s*(?:cd\s+(?:"[^"\n]*"|'[^'\n]*'|\S+)\s*(?:&&|;)\s*)+/;

/** Reads one call. The arguments are looked at and not copied. */
export function readCall(part: ToolCallPart, place: Place): CallReading {
  const fields = fieldsOf(part.input);
  const kind = toolKind(part.toolName, new Set(Object.keys(fields)));
  const command = kind === "shell" ? commandOf(fields, part.input) : null;
  const files = filesOf(kind, fields, command, part.input);
  return { place, toolName: part.toolName, kind, input: part.input, command: command && shortCommand(command), files };
}

type Fields = Readonly<Record<string, JsonValue | undefined>>;

const fieldsOf = (input: JsonValue): Fields =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Fields) : {};

function commandOf(fields: Fields, input: JsonValue): string | null {
  const { commands } = fields;
  if (Array.isArray(commands)) return commands.filter((one) => typeof one === "string").join(" && ") || null;
  const value = typeof input === "string" ? input : firstOf(fields, COMMAND_FIELDS);
  if (typeof value === "string") return value;
  // `["bash", "-lc", "…"]` runs its last word.
  return Array.isArray(value) && typeof value.at(-1) === "string" ? (value.at(-1) as string) : null;
}

/** The line that says what a command does; a here-document or a second line is data or detail. */
function shortCommand(command: string): string {
  const start = command.slice(0, 2_000).replace(LEADING_FOLDER_CHANGE, "");
  const line = start.split("\n").find((text) => text.trim() !== "" && !/^\s*(?:#|set\s)/.test(text)) ?? start;
  return oneLine(line).slice(0, MAX_COMMAND).toWellFormed();
}

function filesOf(kind: ToolKind, fields: Fields, command: string | null, input: JsonValue): readonly FileAction[] {
  const path = firstOf(fields, PATH_FIELDS);
  const at = (action: FileAction["action"]): readonly FileAction[] =>
    typeof path === "string" && isPath(path) ? [{ path, action }] : [];
  switch (kind) {
    case "read":
      return [...at("read"), ...listedPaths(fields["files"]).map((path): FileAction => ({ path, action: "read" }))];
    case "write":
      return at("created");
    case "edit":
      return at("modified");
    case "editor":
      return at(EDITOR_ACTIONS[String(fields["command"])] ?? editedBy(fields));
    case "patch":
      return patchFileActions(
        typeof input === "string" ? input : String(firstOf(fields, ["input", "patch", "diff"]) ?? ""),
      );
    case "shell":
      return command === null
        ? []
        : command.includes("*** Begin Patch")
          ? patchFileActions(command)
          : shellFileActions(command);
    default:
      return [];
  }
}

/** What an editor does that names no command: it puts text in the place of other text, or makes a file of it. */
function editedBy(fields: Fields): FileAction["action"] {
  const has = (names: readonly string[]): boolean => names.some((name) => Object.hasOwn(fields, name));
  if (has(["old_text", "old_str", "old_string", "insert_line"])) return "modified";
  return has(["new_text", "new_str", "new_string", "file_text", "content"]) ? "created" : "read";
}

/** The paths of a list of files, each by itself or with the part of it that is read. */
function listedPaths(files: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(files)) return [];
  const paths = files.map((file: JsonValue) =>
    typeof file === "string" ? file : firstOf(fieldsOf(file), PATH_FIELDS),
  );
  return paths.filter((path): path is string => typeof path === "string" && isPath(path));
}

const isPath = (text: string): boolean =>
  text.length > 0 && text.length <= 300 && !text.includes("\n") && text.isWellFormed();

function firstOf(fields: Fields, names: readonly string[]): JsonValue | undefined {
  for (const name of names) if (Object.hasOwn(fields, name) && fields[name] !== undefined) return fields[name];
  return undefined;
}
