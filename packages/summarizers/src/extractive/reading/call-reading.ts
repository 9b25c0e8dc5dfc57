import {
  asToolCallId,
  fileArgument,
  fileUse,
  isPath,
  type JsonObject,
  type JsonValue,
  onlyLooks,
  plainPath,
  plainToolName,
  questionsToUser,
  type ToolCallPart,
  type ToolKind,
  toolArgument,
  toolArguments,
  toolKind,
} from "@threadfold/core";
import { excerpt, oneLine } from "../../text/excerpt.ts";
import { type FileAction, patchFileActions, shellFileActions } from "./file-actions.ts";
import { shellLines } from "./shell-reader.ts";
import type { Place, WorkReport } from "./speech.ts";

/** What a tool call does, as far as its name and arguments show. */
export interface CallReading {
  readonly place: Place;
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly input: JsonValue;
  /** A shell command as it was given; null for other calls. */
  readonly script: string | null;
  /** The first line of a shell command that does something, without what only prepares that; null for other calls. */
  readonly command: string | null;
  /** The last line that does something, if it is not the first. */
  readonly lastLine: string | null;
  readonly files: readonly FileAction[];
  /** What it asks the user; empty for calls that do something else. */
  readonly questions: readonly string[];
  /** True for a call of a tool that is not known otherwise, and that only looks something up. */
  readonly isLook: boolean;
}

const MAX_COMMAND = 400;
/** Changes of folder and headings that a line prints before it does something. */
const LEADS_IN =
  /^\s*(?:(?:cd\s+(?:"[^"\n]*"|'[^'\n]*'|\S+)|echo\s+(?:-\w+\s+)?(?:"[^"$`\n]*"|'[^'\n]*'))\s*(?:&&|;)\s*)+/;

/** A line of a script that only prepares the lines after it: a comment, a setting, a variable, a change of folder. */
const PREPARES =
  /^\s*(?:#|set\s[^&;|]*$|(?:export\s+)?[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\$\([^)]*\)|[^\s"'$]*)\s*;?\s*$|cd\s+[^&;|]*$)/;

/** A line that only prints words of its own, writes what is below it to a file, which is told as such, or ends a loop. */
const NARRATES =
  /^\s*(?:(?:echo|printf)\b[^&;|>$]*|cat\s*(?:>>?\s*\S+\s*)?<<-?\s*["']?\w+["']?\s*(?:>>?\s*\S+\s*)?|(?:done|fi|esac|do|then|else|[)}])\s*;?\s*)$/;

/** Checks whether a command only prints words of its own, or writes them to files; any other is told by what it does. */
export const onlyNarrates = ({ command, files }: CallReading): boolean =>
  command !== null && NARRATES.test(command) && (!command.includes(">") || files.length > 0);

/** A line that only starts an interpreter for the program on the lines after it. */
const OPENS = /^[^>]*(?:\s-[ce]\s*["']|<<-?\s*["']?\w+["']?)\s*$/;

/** Reads one call. The arguments are not copied. */
export function readCall(part: ToolCallPart, place: Place): CallReading {
  const kind = toolKind(part.toolName, part.input);
  const script = kind === "shell" ? commandOf(part.input) : null;
  const files = filesOf(kind, script, part.input);
  const [first = null, lastLine = null] = script === null ? [] : tellingLines(script);
  const questions = kind === "other" ? questionsToUser(part.toolName, part.input) : [];
  const isLook = kind === "other" && onlyLooks(part.toolName, part.input);
  const { toolName, input } = part;
  return { place, toolName, kind, input, script, command: first, lastLine, files, questions, isLook };
}

function commandOf(input: JsonValue): string | null {
  const { commands } = toolArguments(input);
  if (Array.isArray(commands)) return commands.filter((one) => typeof one === "string").join("; ") || null;
  const value = typeof input === "string" ? input : toolArgument(input, "command");
  if (typeof value === "string") return value;
  return Array.isArray(value) ? typedCommand(value.filter((word) => typeof word === "string")) || null : null;
}

/** A program that is given a script, or a patch, as its last argument. */
const TAKES_SCRIPT =
  /(?:^|[/ ])(?:(?:\w*sh|powershell(?:\.exe)?)(?: \S+){0,3} -\w*c(?:ommand)?|cmd(?:\.exe)? \/c|apply_patch)$/i;
const UNQUOTED = /^[\w@%+=:,./~-]+$/;

/** Returns a list of arguments as one would type it; of `["bash", "-lc", "…"]`, the script. */
function typedCommand(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  if (TAKES_SCRIPT.test(words.slice(0, -1).join(" "))) return last;
  return words.map((word) => (UNQUOTED.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** The lines of a command that show what it does: the first and the last; here-documents are data or detail. */
function tellingLines(command: string): readonly string[] {
  const lines = shellLines(command)
    .map((line) => line.slice(0, 2_000).replaceAll("\\\n", " ").replace(LEADS_IN, ""))
    .filter((line) => line.trim() !== "");
  const working = lines.filter((line) => !PREPARES.test(line));
  const telling = working.filter((line) => !NARRATES.test(line));
  const [chosen = lines] = [telling, working].filter(({ length }) => length > 0);
  const ends = new Set([chosen.at(0), chosen.at(-1)].filter((line) => line !== undefined));
  return [...ends].map((line) => oneLine(beginningOf(line, command)).slice(0, MAX_COMMAND).toWellFormed());
}

/** The first line of a command; if that opens a program in quotes or a here-document, with the program's first line. */
function beginningOf(line: string, command: string): string {
  const [start = "", next = ""] = line.trim().split("\n", 2);
  if (!OPENS.test(start)) return start;
  const end = command.indexOf(line) + line.length;
  const [below = ""] = command
    .slice(end, end + MAX_COMMAND)
    .trimStart()
    .split("\n", 1);
  return `${start} ${next || below}`;
}

function filesOf(kind: ToolKind, command: string | null, input: JsonValue): readonly FileAction[] {
  switch (kind) {
    case "patch":
      return patchFileActions(typeof input === "string" ? input : String(toolArgument(input, "patch") ?? ""));
    case "shell":
      return command === null
        ? []
        : command.includes("*** Begin Patch")
          ? patchFileActions(command)
          : shellFileActions(command);
    default:
      return filesByArguments(kind, input);
  }
}

function filesByArguments(kind: ToolKind, input: JsonValue): readonly FileAction[] {
  const [path, action] = [fileArgument(input), fileUse(kind, input)];
  if (action === undefined) return [];
  const listed = action === "read" ? listedPaths(toolArguments(input)["files"]) : [];
  return [...(path === undefined ? [] : [path]), ...listed].map((one): FileAction => ({ path: one, action }));
}

/** The paths in a list of files, whose entries are paths or objects with a path and the part to read. */
function listedPaths(files: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(files)) return [];
  const paths = files.map((file: JsonValue) => (typeof file === "string" ? file : fileArgument(file)));
  return paths.filter((path): path is string => path !== undefined && isPath(path));
}

/** A call that an agent without tools wrote as text. */
export interface WrittenCall {
  readonly toolName: string;
  readonly input: JsonValue;
}

/** Tools that speak to the user, in lower case without separators, and the argument with their words. */
const SPEAKS: Readonly<Record<string, string>> = {
  askfollowupquestion: "question",
  attemptcompletion: "result",
  planmoderespond: "response",
  planmoderesponse: "response",
  finish: "message",
  taskdone: "message",
  taskcomplete: "message",
  notifyuser: "message",
  messagenotifyuser: "text",
  finalanswer: "answer",
};

/** Checks whether a call speaks to the user. */
export const speaks = (toolName: string): boolean => Object.hasOwn(SPEAKS, plainToolName(toolName));

/** Returns what a call says to the user; null for a call that does something else. */
export function spokenWords({ toolName, input }: WrittenCall): string | null {
  const words = speaks(toolName) ? toolArguments(input)[SPEAKS[plainToolName(toolName)] as string] : undefined;
  return typeof words === "string" ? words : null;
}

/** Takes the to-do list out of a call, which agents may send along with any call. */
export function withoutProgress({ toolName, input }: WrittenCall): readonly [WrittenCall, list: WrittenCall | null] {
  const { task_progress: progress, ...others } = toolArguments(input);
  if (typeof progress !== "string") return [{ toolName, input }, null];
  const todos = todosIn(progress);
  const list = todos.length === 0 ? null : { toolName: "update_todo_list", input: { todos } };
  return [{ toolName, input: others as JsonObject }, list];
}

/** Returns the items of a to-do list, one a line. */
export const todosIn = (text: string): readonly JsonObject[] => text.split("\n").flatMap(todoIn);

function todoIn(line: string): readonly JsonObject[] {
  const [, box = "", content = ""] = /^\s*(?:[-*] )?\[([ xX-])\]\s*(\S.*)$/.exec(line) ?? [];
  return content === "" ? [] : [{ content, status: box === "-" ? "in_progress" : box === " " ? "open" : "done" }];
}

/**
 * Returns the edits that were made, of those that an answer gave: all that its harness says that it made, and nothing
 * else. A whole file is new only if the harness says so.
 */
export function editsMade(
  { edited, created }: WorkReport,
  given: readonly CallReading[],
  place: Place,
): readonly CallReading[] {
  return edited.flatMap((path) => {
    // An answer may name a file without its folder.
    const own = given.filter(({ files: [file] }) => file && `/${path}`.endsWith(`/${plainPath(file.path)}`));
    const part = { type: "tool-call", callId: asToolCallId("reported"), toolName: "edit", input: { path } } as const;
    return (own.length > 0 ? own : [readCall(part, place)]).map((call) => ({
      ...{ ...call, input: { ...toolArguments(call.input), path } as JsonObject },
      files: [{ path, action: created.has(path) ? ("created" as const) : ("modified" as const) }],
    }));
  });
}

const FENCES = ["```bash\n", "```sh\n", "```shell\n"];
/** A command that only says that the work is over. */
const HANDS_IN = /^\s*(?:submit\s*)?$/;

/** Reads the command in the first shell block of an answer. Null without one, or when it hands in. */
export function shellCommand(text: string): WrittenCall | null {
  for (const fence of FENCES) {
    const start = text.indexOf(fence);
    const end = start < 0 ? -1 : text.indexOf("\n```", start + fence.length);
    const command = text.slice(start + fence.length, end);
    if (end >= 0) return HANDS_IN.test(command) ? null : { toolName: "shell", input: { command } };
  }
  return null;
}

/** The first line of a command for the editor of an interactive shell. */
const EDITOR_COMMAND =
  /^\s*(open|create|edit|goto|set_cursors|scroll_up|scroll_down|find_file|search_dir|search_file)\b *([^\n]*)/;

/** Reads the command for an interactive shell, in tags or in the last block of an answer. Null like {@link shellCommand}. */
export function editorCommand(text: string): WrittenCall | null {
  const command = commandInTags(text) ?? lastBlock(text);
  if (command === null || HANDS_IN.test(command)) return null;
  const [, name, rest = ""] = EDITOR_COMMAND.exec(command) ?? [];
  if (name === undefined) return { toolName: "shell", input: { command } };
  if (name === "open" || name === "create") return { toolName: name, input: { path: rest.split(" ")[0] as string } };
  if (name === "edit") return { toolName: name, input: { text: command.slice(command.indexOf("\n") + 1) } };
  return { toolName: name, input: { query: rest } };
}

function commandInTags(text: string): string | null {
  const start = text.lastIndexOf("<command>\n");
  const end = start < 0 ? -1 : text.indexOf("\n</command>", start);
  return end < 0 ? null : text.slice(start + "<command>\n".length, end);
}

/** Returns an answer without the command in tags at its end, which is no speech. */
export function withoutCommandTags(text: string): string {
  return commandInTags(text) === null ? text : text.slice(0, text.lastIndexOf("<command>\n"));
}

function lastBlock(text: string): string | null {
  const end = text.lastIndexOf("\n```");
  const fence = end <= 0 ? -1 : text.lastIndexOf("```", end - 1);
  const start = fence < 0 ? 0 : text.indexOf("\n", fence) + 1;
  return start === 0 || start > end ? null : text.slice(start, end);
}

/** Returns the parts of a result that shows several files, each as a result of reading that file. */
export function apartByFile(
  text: string,
  call: CallReading | null,
): readonly (readonly [text: string, call: CallReading | null])[] {
  if (call?.kind !== "read" || call.files.length < 2) return [[text, call]];
  const [, ...parts] = text.split("<file><path>");
  if (parts.length !== call.files.length) return [[text, call]];
  return call.files.map((file, index) => [parts[index] as string, { ...call, files: [file] }]);
}

/** The length that a value other than a text counts as, in UTF-16 code units. */
const LENGTH_OF_VALUE = 8;

/** Returns the approximate length of an input, which is mostly that of its texts. */
export function lengthOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return LENGTH_OF_VALUE;
  return Object.values(value).reduce((sum: number, item) => sum + lengthOf(item), LENGTH_OF_VALUE);
}

const MAX_FIELDS = 4;
const MAX_FIELDS_OF_CHANGE = 6;
/** In UTF-16 code units. */
const MAX_VALUE = 80;
const MAX_INNER = 110;

/** Returns the short arguments of a call, which show what it did. */
export const shortFields = (input: JsonValue): JsonObject =>
  Object.fromEntries(
    Object.entries(toolArguments(input))
      .filter(([, value]) => isShort(value))
      .slice(0, MAX_FIELDS),
  );

/** Returns the arguments of a call that changed something: lists and inner fields, too, and the beginnings of texts. */
export const changedFields = (input: JsonValue): JsonObject =>
  Object.fromEntries(
    Object.entries(toolArguments(input))
      .flatMap(([name, value]) => {
        const told = isShort(value) ? value : shortened(value);
        return told === undefined ? [] : [[name, told] as const];
      })
      .slice(0, MAX_FIELDS_OF_CHANGE),
  );

function shortened(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === "string") return value === "" ? undefined : excerpt(value, MAX_VALUE);
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return undefined;
  if (lengthOf(value) > MAX_INNER * 10) return excerpt(textsIn(value).join(", "), MAX_INNER);
  return JSON.stringify(value).length <= MAX_INNER ? value : excerpt(textsIn(value).join(", "), MAX_INNER);
}

/** The first texts and numbers in a value. */
function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== "object" || value === null) return value == null ? [] : [String(value).slice(0, MAX_INNER)];
  return Object.values(value).slice(0, MAX_TEXTS).flatMap(textsIn);
}

const MAX_TEXTS = 20;

const isShort = (value: JsonValue | undefined): boolean =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && value.length > 0 && value.length <= MAX_VALUE);

/** Names of arguments with a program or a query. */
const PROGRAM = /^(?:code|script|sql|query|statement|source|cell|program|snippet)$/i;
/** A statement of SQL, and a line of a program that only prepares the others. */
const IS_SQL =
  /^\s*(?:select|with|insert|update|delete|create|drop|alter|merge|grant|revoke|truncate|show|describe|explain)\s/i;
const ONLY_PREPARES = /^\s*(?:$|import\b|from\s+\S+\s+import\b|using\b|library\(|[#%]|--|\/\/)/;
const [MAX_STATEMENT, MAX_PROGRAM_LINE] = [150, 70];
/** The most of a program that is read for its last line, in UTF-16 code units. */
const LONGEST_PROGRAM = 20_000;

/** Returns the lines that show what the program or query of a call does, and the name of its argument; null without one. */
export function programIn(input: JsonValue): { readonly name: string; readonly line: string } | null {
  for (const [name, value] of Object.entries(toolArguments(input))) {
    if (typeof value !== "string" || !PROGRAM.test(name)) continue;
    if (IS_SQL.test(value)) return { name, line: excerpt(value, MAX_STATEMENT).replaceAll("`", "'") };
    if (/^(?:query|source)$/i.test(name)) continue;
    const lines = value.slice(0, LONGEST_PROGRAM).split("\n");
    const telling = lines.filter((line) => !ONLY_PREPARES.test(line));
    const ends = [...new Set([telling[0] ?? lines[0] ?? "", telling.at(-1) ?? ""])].filter((line) => line !== "");
    if (ends.length === 0) continue;
    return { name, line: ends.map((line) => excerpt(line, MAX_PROGRAM_LINE).replaceAll("`", "'")).join(" … ") };
  }
  return null;
}
