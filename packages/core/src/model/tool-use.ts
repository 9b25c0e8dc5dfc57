import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";

/** What a call does to a file. */
export type FileUse = "read" | "created" | "modified" | "deleted";

/** What a call of an agent's tool is for, as far as the tool's name and the call's arguments show. */
export type ToolKind =
  | "read"
  | "write"
  | "edit"
  /** One tool that reads, writes and edits, which its `command` or its other arguments decide. */
  | "editor"
  | "patch"
  | "delete"
  | "shell"
  | "search"
  | "todo"
  | "task"
  | "plan"
  | "agent"
  | "other";

/** Names of tools that agents have, in lower case without separators. */
const NAMES: Readonly<Record<Exclude<ToolKind, "other">, string>> = {
  read: "open goto setcursors scrollup scrolldown read readfile readfiles view viewfile cat openfile getfilecontents fsread notebookread readmanyfiles",
  write: "write writefile createfile create fswrite writetofile savefile",
  edit: "edit editfile multiedit strreplace replace searchreplace replaceinfile applydiff searchandreplace notebookedit insert insertcontent",
  editor: "strreplacebasededittool strreplaceeditor texteditor fileeditor planningfileeditor editor",
  patch: "applypatch patch",
  delete: "deletefile removefile",
  shell:
    "bash shell sh exec execcommand run runcommand runcommands runshellcommand runterminalcmd runterminalcommand executecommand executebash localshell terminal powershell containerexec",
  search:
    "findfile searchdir searchfile grep glob search find ls list listdir listfiles listdirectory codebasesearch searchfiles searchfilecontent grepsearch filesearch rg websearch webfetch fetch googlewebsearch",
  todo: "todowrite updateplan writetodos managetodolist todo tasklist updatetodolist settodos tasktracker",
  task: "taskcreate taskupdate createtask updatetask",
  agent: "task agent subagent dispatchagent spawnagent runagent delegate delegatetask explore",
  plan: "exitplanmode plan createplan submitplan",
};

const KIND_OF_NAME: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind as ToolKind] as const)),
);

/** What an argument is in a call that is about a file or runs a command. */
export type ArgumentRole = "file" | "command" | "before" | "after" | "patch";

/** Names of arguments, in lower case without separators, the more telling ones first. */
const ARGUMENTS: Readonly<Record<ArgumentRole, string>> = {
  file: "filepath path filename targetfile notebookpath absolutepath relativepath relativeworkspacepath pathinproject file",
  command: "command cmd commandline bashcommand shellcommand commands script code",
  before: "oldstring oldstr oldtext oldcontent oldsource targetcontent before",
  after:
    "newstring newstr newtext newcontent newsource replacementcontent content filetext filecontent contents codecontent codeedit after replacetext replacement replace repl body text",
  patch: "input patch patchtext diff",
};

const NAMES_A_FILE = /^(?:file(?:path|name)|targetfile|notebookpath|absolutepath)$/;
/** Arguments that hold a command; those called `script` or `code` may hold a program in any language. */
const RUNS = /^(?:commands?|cmd|commandline|bashcommand|shellcommand)$/;

const RANKS = new Map<ArgumentRole, ReadonlyMap<string, number>>(
  Object.entries(ARGUMENTS).map(([role, names]) => [
    role as ArgumentRole,
    new Map(names.split(" ").map((name, rank) => [name, rank])),
  ]),
);

/** Returns a name in lower case without separators: `old_string`, `oldString` and `OldString` are one. */
export const plainToolName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Several edits of one call may be numbered: `old_str_1`, `old_str_2`. */
const plainArgument = (name: string): string => plainToolName(name).replace(/\d+$/, "");

/** Checks whether an argument with this name has a role, however its agent spells it. */
export const hasRole = (name: string, role: ArgumentRole): boolean =>
  RANKS.get(role)?.has(plainArgument(name)) === true;

/** Checks whether an argument with this name names a file and nothing else: a `path` may be where to look. */
export const namesFile = (name: string): boolean => NAMES_A_FILE.test(plainArgument(name));

/** Returns the arguments of a call by name; none when they are not an object. */
export const toolArguments = (input: JsonValue): JsonObject =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? (input as JsonObject) : {};

/**
 * Returns the argument that has a role in a call, or undefined. Of several it is the one with the most telling name.
 * What is null or an empty text has no role.
 */
export const toolArgument = (input: JsonValue, role: ArgumentRole): JsonValue | undefined =>
  bestArgument(input, role, (value): value is JsonValue => value !== null && value !== "");

function bestArgument<Value extends JsonValue>(
  input: JsonValue,
  role: ArgumentRole,
  fits: (value: JsonValue) => value is Value,
): Value | undefined {
  let found: { readonly rank: number; readonly value: Value } | undefined;
  for (const [name, value] of Object.entries(toolArguments(input))) {
    const rank = RANKS.get(role)?.get(plainArgument(name)) ?? Number.POSITIVE_INFINITY;
    if (value !== undefined && fits(value) && rank < (found?.rank ?? Number.POSITIVE_INFINITY)) found = { rank, value };
  }
  return found?.value;
}

const LONGEST_PATH = 300;

/** Checks whether a text may be the path of a file: one line of at most 300 characters. */
export const isPath = (text: string): boolean =>
  text !== "" && text.length <= LONGEST_PATH && !/[\n\r]/.test(text) && text.isWellFormed();

/** Returns the path of the file that a call is about, if it has one. */
export const fileArgument = (input: JsonValue): string | undefined =>
  bestArgument(input, "file", (value): value is string => typeof value === "string" && isPath(value));

/**
 * Returns what kind of tool was called. Prefixes of servers and namespaces are left out, but then the arguments must
 * bear the name out: what a calendar creates is no file. A tool with an unknown name is recognized by its arguments
 * and, where these leave it open, by the verbs in its name.
 */
export function toolKind(toolName: string, input: JsonValue): ToolKind {
  const known = KIND_OF_NAME.get(plainToolName(toolName));
  if (known !== undefined) return known;
  const own = toolName.split(/__|[/:.]/).at(-1) ?? "";
  const kind = KIND_OF_NAME.get(plainToolName(own));
  return kind !== undefined && isBorneOut(kind, input) ? kind : kindByArguments(own, input);
}

/** What a call must be about for its kind; kinds that are not here are taken at their word. */
const ABOUT: Partial<Record<ToolKind, ArgumentRole>> = {
  write: "file",
  edit: "file",
  delete: "file",
  shell: "command",
};

function isBorneOut(kind: ToolKind, input: JsonValue): boolean {
  const role = ABOUT[kind];
  return role === undefined || typeof input === "string" || toolArgument(input, role) !== undefined;
}

function kindByArguments(toolName: string, input: JsonValue): ToolKind {
  const fields = toolArguments(input);
  const names = Object.keys(fields);
  if (names.some((name) => hasRole(name, "file"))) return kindOfFileTool(toolName, input);
  if (names.some((name) => RUNS.test(plainArgument(name)))) return "shell";
  const words = wordsOf(toolName);
  if (SEARCHES.test(words) && names.some((name) => SOUGHT.test(plainArgument(name)))) return "search";
  const isList = names.includes("todos") || (LISTS.test(words) && Object.values(fields).some(isStepList));
  return isList ? "todo" : "other";
}

const SEARCHES = /\b(?:search|grep|find|glob|list)\b/;
/** Arguments that say what a search looks for. */
const SOUGHT = /^(?:pattern|query|queries|regex|glob|keywords?)$/;

/** Verbs in the names of tools that only look something up, and of tools that change something. */
const LOOKS =
  /\b(?:get|gets|list|search|find|read|fetch|describe|show|view|check|query|lookup|look|browse|inspect|count|calculate|compute|retrieve|snapshot|screenshot|logs?|history|explain|analy[sz]e|validate|verify|compare|preview|navigate|scroll|hover|wait|load|peek|details|whoami|metrics)\b/;
const CHANGES =
  /\b(?:create|update|delete|remove|set|add|send|cancel|modify|change|edit|write|insert|submit|publish|apply|patch|scale|restart|deploy|assign|move|rename|upload|save|click|type|fill|select|press|enable|disable|grant|revoke|reset|kill|block|unblock|approve|reject)\b/;
/** A statement of SQL, and those that change something. */
const QUERY = /^(?:\s|\(|--[^\n]*\n){0,40}(?:select|with|show|describe|desc|explain|pragma)\b/i;
const STATEMENT =
  /\b(?:insert\s+into|update\s+\S+\s+set|delete\s+from|merge\s+into|(?:create|drop|alter|truncate)\s+(?:or\s+replace\s+)?(?:temp\w*\s+|unique\s+|materialized\s+)?(?:table|view|index|schema|database|role|user|function|sequence|type|extension)|grant\s+\w+|revoke\s+\w+)\b/i;
/** The most of a text that is read as SQL, in UTF-16 code units. */
const LONGEST_SQL = 4_000;

/** Checks whether a call only looks something up, as its SQL or else the first telling verb in its tool's name shows. */
export function onlyLooks(toolName: string, input: JsonValue): boolean {
  const texts = Object.values(toolArguments(input)).filter((value): value is string => typeof value === "string");
  if (texts.some((text) => STATEMENT.test(text.slice(0, LONGEST_SQL)))) return false;
  if (texts.some((text) => QUERY.test(text.slice(0, LONGEST_SQL)) && /\bfrom\b|^\s*show\b/i.test(text))) return true;
  const words = wordsOf(toolName);
  const [look, change] = [words.search(LOOKS), words.search(CHANGES)];
  return look >= 0 && (change < 0 || look < change);
}

/** Words in the names of tools that ask somebody, of those whom they ask, and names that say both. */
const ASKS = /\b(?:asks?|request|prompt|input|await|wait|confirm|feedback|clarification)\b/;
const PERSON = /\b(?:user|human|person|operator)\b/;
const OTHER_VERBS = /\b(?:update|set|search|list|find|delete|create|add|save|log)\b/;
const ASKS_PERSON = /^(?:clarify|human|(?:ask |request |ask for |get )clarification|(?:ask )?follow ?up question)$/;
/** Arguments with what is asked, the more telling ones first. */
const ASKED: readonly string[] = ["questions", "question", "prompt", "inquire", "query", "message", "text"];

/** Returns what a call asks the user; empty for a call that does something else. */
export function questionsToUser(toolName: string, input: JsonValue): readonly string[] {
  const words = wordsOf(toolName.split(/__(?=[a-zA-Z])|[/:.]/).findLast((part) => part !== "") ?? "").trim();
  const fields = toolArguments(input);
  const isAsking = ASKS_PERSON.test(words) || (ASKS.test(words) && PERSON.test(words) && !OTHER_VERBS.test(words));
  if (!isAsking && !(words === "question" && Array.isArray(fields["questions"]))) return [];
  const asked = ASKED.map((name) => fields[name]).find((value) => value !== undefined);
  const questions = Array.isArray(asked)
    ? asked.map((one: JsonValue) => toolArguments(one)["question"] ?? one)
    : [asked];
  return questions.filter((question) => typeof question === "string" && question.trim() !== "") as readonly string[];
}

/** Matches what harnesses return for a call that the user refused. */
const REFUSED =
  /^\s*(?:(?:the )?user (?:doesn['’]t want to (?:proceed with this tool use|take this action)|(?:denied|rejected|declined) (?:this |the |permission ))|(?:[\w-]+ ){0,3}rejected by (?:the )?user\b|\[operation cancelled\] reason: user|tool (?:call |execution )?(?:was )?(?:denied|not approved)|the user has declined to run this tool\b|action rejected:|\{"status":"denied")/i;
/** Matches a refusal that is the whole result, for harnesses that report a refused call as successful. */
const ONLY_REFUSED =
  /^\s*(?:(?:[\w-]+ ){0,3}rejected by (?:the )?user|tool execution was not approved|the user denied this operation(?: and provided the following feedback:\s*<feedback>[^<]*<\/feedback>)?|the user has declined to run this tool\.\s+DO NOT [^{}<>]{0,300}|\{"status":"denied"[^{}]*\})[.\s]*$/i;
/** The text before the reason, and the text after it. */
const REASON = /(?:\bthe user said|\bfeedback|^\s*action rejected):\s*(?:<feedback>)?/i;
const BEHIND_REASON = /<\/feedback>|\n\s*\nNote: /;
/** What harnesses write in the place of a reason. */
const NO_REASON = /^User rejected the action$/;
/** The most of a result that is read for a refusal and its reason, in UTF-16 code units. */
export const REFUSAL_READ = 2_000;

/**
 * Returns the user's reason where a result reports that the user refused the call, empty if there is none; null for any
 * other result. A text that only looks like a refusal may be the content of a file, so for a call that did not fail, the
 * refusal must be the whole result.
 */
export function refusalReason(text: string, failed: boolean): string | null {
  const read = text.slice(0, REFUSAL_READ);
  if (!(failed ? REFUSED.test(read) : text.length <= REFUSAL_READ && ONLY_REFUSED.test(read))) return null;
  return (feedbackIn(read) ?? reasonIn(read)).replace(NO_REASON, "");
}

function reasonIn(text: string): string {
  const before = REASON.exec(text);
  const said = before === null ? "" : text.slice(before.index + before[0].length);
  return (said.split(BEHIND_REASON)[0] as string).trim();
}

function feedbackIn(text: string): string | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const { feedback } = toolArguments(parseJson(text) as JsonValue);
    return typeof feedback === "string" ? feedback.trim() : null;
  } catch {
    return null;
  }
}

/** Words in the names of tools that keep a list of what is to be done. */
const LISTS = /\b(?:todos?|tasks?|plan|checklist|steps)\b/;
const STATES: readonly string[] = ["status", "state", "done", "completed", "checked"];

/** Checks for a list of steps that each have a state. */
export const isStepList = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item: JsonValue) => STATES.some((state) => Object.hasOwn(toolArguments(item), state)));

/** The words of a tool's name in lower case, separated by spaces. */
const wordsOf = (toolName: string): string =>
  toolName
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[^a-zA-Z]+/g, " ")
    .toLowerCase();

/** Verbs in the names of tools that are about files, with what these do; the first that applies. */
const VERBS: readonly (readonly [RegExp, ToolKind])[] = [
  [/\b(?:directory|directories|dir|folders?)\b/, "other"],
  [/\b(?:delete|remove)\b/, "delete"],
  [/\b(?:edit|replace|insert|update|modify|append)\b/, "edit"],
  [SEARCHES, "search"],
  [/\b(?:write|create|save|overwrite)\b/, "write"],
  [/\b(?:read|view|open|cat|get|show|load)\b/, "read"],
];

/** Arguments with a text that can only be that of a file. */
const OF_FILE = /^(?:file(?:text|content)|code(?:content|edit)|new(?:source|content))$/;

function kindOfFileTool(toolName: string, input: JsonValue): ToolKind {
  const fields = toolArguments(input);
  const command = Object.entries(fields).find(([name]) => RUNS.test(plainArgument(name)))?.[1];
  if (typeof command === "string") return Object.hasOwn(EDITOR_USES, plainToolName(command)) ? "editor" : "shell";
  const words = wordsOf(toolName);
  const verb = VERBS.find(([verbs]) => verbs.test(words))?.[1];
  if (replacesText(fields)) return "edit";
  if (verb !== undefined) return verb;
  const names = Object.keys(fields);
  // A path with a text may be an attachment of a mail as well.
  if (names.some((name) => OF_FILE.test(plainArgument(name)))) return "write";
  if (!names.some(namesFile)) return "other";
  return toolArgument(input, "after") === undefined ? "read" : "write";
}

/** Checks for a text with what takes its place, among the arguments or in a list of edits. */
const replacesText = (fields: JsonObject): boolean =>
  [fields, ...Object.values(fields).filter(Array.isArray).flat().map(toolArguments)].some((edit) => {
    const names = Object.keys(edit);
    return names.some((name) => hasRole(name, "before")) && names.some((name) => hasRole(name, "after"));
  });

/** The commands of editors, in lower case without separators. */
const EDITOR_USES: Readonly<Record<string, FileUse>> = {
  view: "read",
  create: "created",
  strreplace: "modified",
  insert: "modified",
  delete: "deleted",
};

/** Returns what a call of a tool of this kind does to its file; undefined when it is not about one. */
export function fileUse(kind: ToolKind, input: JsonValue): FileUse | undefined {
  switch (kind) {
    case "read":
      return "read";
    case "write":
      return "created";
    case "edit":
      return "modified";
    case "delete":
      return "deleted";
    case "editor":
      return editorUse(toolArguments(input));
    default:
      return undefined;
  }
}

/** An editor that takes no command replaces a text, creates a file or reads one, as its other arguments say. */
function editorUse(fields: JsonObject): FileUse | undefined {
  const { command } = fields;
  const known = typeof command === "string" ? plainToolName(command) : undefined;
  if (known !== undefined) return Object.hasOwn(EDITOR_USES, known) ? EDITOR_USES[known] : undefined;
  const names = Object.keys(fields).map(plainArgument);
  if (names.some((name) => name === "insertline" || hasRole(name, "before"))) return "modified";
  return names.some((name) => hasRole(name, "after")) ? "created" : "read";
}
