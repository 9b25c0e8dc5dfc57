import { asToolCallId, type JsonObject, type JsonValue, type Message, resultLabel } from "@threadfold/core";
import {
  type CallReading,
  editorCommand,
  readCall,
  shellCommand,
  speaks,
  spokenWords,
  todosIn,
  type WrittenCall,
  withoutCommandTags,
  withoutProgress,
} from "./call-reading.ts";
import { type EditBlock, editBlocks, fencedFiles } from "./file-actions.ts";
import { type Place, workReport } from "./speech.ts";

/**
 * How an agent without tools gives calls: commands in shell blocks, or to an interactive shell in the last block; calls
 * in tags; or edits in blocks, which its harness carries out.
 */
export type SpokenForm = "shell block" | "last block" | "tags" | "edits";

/** Text in a user message that a program wrote: the output of a command that an agent gave in plain text. */
const OBSERVATION = /^\s*(?:<returncode>|<output>|<observation>|OBSERVATION:|Observation:|EXECUTION RESULT)/;
/** What an interactive shell prints below each output: its open file, its folder and its prompt. */
const PROMPT = /\n?(?:\(Open file: [^\n]{1,300}\)\n)?\(Current directory: [^\n]{1,300}\)\nbash-\$\s*$/;
const LONGEST_PROMPT = 700;
/** Calls in tags, each on a line of its own: those of Cline and its kin, and those of OpenHands. */
const CALL_TAG = /^[^\S\n]*<(?:([a-z]{2,24}(?:_[a-z]{2,24}){1,4})|function=([\w.-]{1,80}))>/gm;
const CALL =
  /^(?:execute_command|(?:read|edit)_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|search_files|list_files|list_code_definition_names|codebase_search|browser_action|use_mcp_tool|ask_followup_question|attempt_completion|plan_mode_respon(?:d|se)|new_task|switch_mode|update_todo_list)$/;
/** A harness that answers such calls. */
const ANSWERS_TAGS = /<environment_details>|^\s*EXECUTION RESULT of \[/;
/** An answer that ends with a call, as answers of such agents do. */
const ENDS_WITH_CALL = /<\/(?:function|[a-z]+(?:_[a-z]+)+)>\s*$/;
const LONGEST_CLOSE = 60;
/** A harness that carries out edits in blocks. */
const CARRIES_OUT =
  /^\s*(?:I have \*added these files to the chat\*|Here are summaries of some files present in my git repository|I am not sharing any files that you can edit yet|I ran this command:\n\n|# \d+ SEARCH\/REPLACE blocks? failed to match!)/;
const EDIT_BLOCK = /^(?:<{5,9} SEARCH\s*|\S{1,200}\.\w{1,12}\n<(?:source|sourcecode|codename)>)$/m;

/** Returns how calls are spoken in a span. Null where tools are called and answered, or no program answers. */
export function spokenForm(messages: readonly Message[]): SpokenForm | null {
  if (messages.some(({ parts }) => parts.some(({ type }) => type === "tool-call")))
    return areAnsweredAsText(messages) ? "tags" : null;
  const found = new Set<SpokenForm>();
  let answers = false;
  for (const message of messages)
    for (const part of message.parts) {
      if (part.type !== "text") continue;
      const { text } = part;
      if (promptIn(text, message) !== null) return "last block";
      if (message.role === "assistant") {
        if (hasCallTag(text)) found.add("tags");
        answers ||= ENDS_WITH_CALL.test(text.slice(-LONGEST_CLOSE));
        if (EDIT_BLOCK.test(text)) found.add("edits");
      }
      if (message.role !== "user") continue;
      answers ||= resultLabel(text) !== null || ANSWERS_TAGS.test(text);
      if (CARRIES_OUT.test(text) || workReport(message) !== null) found.add("edits");
      else if (OBSERVATION.test(text)) found.add("shell block");
    }
  if (found.has("tags") && answers) return "tags";
  return found.has("edits") ? "edits" : found.has("shell block") ? "shell block" : null;
}

/** Cline calls tools and answers as if the calls had been text. */
const areAnsweredAsText = (messages: readonly Message[]): boolean =>
  !messages.some(({ parts }) => parts.some(({ type }) => type === "tool-result")) &&
  messages.some(
    ({ role, parts }) =>
      role === "user" && parts.some((part) => part.type === "text" && resultLabel(part.text) !== null),
  );

function hasCallTag(text: string): boolean {
  for (const [, name, called] of text.matchAll(CALL_TAG))
    if (called !== undefined || CALL.test(name ?? "")) return true;
  return false;
}

function promptIn(text: string, { role, origin }: Message): string | null {
  return role === "user" && origin === "harness" ? (PROMPT.exec(text.slice(-LONGEST_PROMPT))?.[0] ?? null) : null;
}

/** What an agent said in one message, without its calls, and the calls. */
export interface SpokenAnswer {
  readonly said: string;
  readonly calls: readonly CallReading[];
  /** The to-do lists that came along with calls. */
  readonly lists: readonly CallReading[];
  /** True when nothing is to be answered by a program, so that the agent's turn may end there. */
  readonly isClosing: boolean;
}

/** Reads an answer of an agent without tools. */
export function readSpokenAnswer(text: string, form: SpokenForm, place: Place): SpokenAnswer {
  if (form === "tags") return readTags(text, place);
  if (form === "edits") return readEdits(text, place);
  const command = form === "last block" ? editorCommand(text) : shellCommand(text);
  const calls = command === null ? [] : [callOf(command, place)];
  return { said: withoutCommandTags(text), calls, lists: [], isClosing: calls.length === 0 };
}

const callOf = ({ toolName, input }: WrittenCall, place: Place): CallReading =>
  readCall({ type: "tool-call", callId: asToolCallId("spoken"), toolName, input }, place);

/** The tags around thoughts that are shown to the user. */
const SHOWN_THOUGHTS = /<\/?thinking>\n?/g;

function readTags(text: string, place: Place): SpokenAnswer {
  const said: string[] = [];
  const calls: CallReading[] = [];
  const lists: CallReading[] = [];
  let at = 0;
  for (const { index, 0: tag, 1: name, 2: called } of text.matchAll(CALL_TAG)) {
    if (index < at) continue;
    const toolName = (name ?? called) as string;
    const close = name === undefined ? "</function>" : `</${name}>`;
    const start = index + tag.length;
    const end = text.indexOf(close, start);
    // Only a call that is known may be cut off: others may be words in brackets.
    if (end < 0 && name !== undefined && !CALL.test(name)) continue;
    const fields = fieldsIn(text.slice(start, end < 0 ? text.length : end), name === undefined);
    said.push(text.slice(at, index));
    at = end < 0 ? text.length : end + close.length;
    const [call, list] = withoutProgress({ toolName, input: fields });
    if (list !== null) lists.push(callOf(list, place));
    if (speaks(toolName)) said.push(spokenWords(call) ?? "");
    else if (toolName !== "think")
      for (const written of writtenCalls(toolName, call.input as Fields)) calls.push(callOf(written, place));
  }
  said.push(text.slice(at));
  return { said: said.join("").replace(SHOWN_THOUGHTS, "").trim(), calls, lists, isClosing: calls.length === 0 };
}

type Fields = Readonly<Record<string, string>>;

/** Fields whose text may hold tags of its own, so that they end at the last closing tag. */
const HOLDS_TAGS = /^(?:content|diff|result|args|arguments|response|question|search|replace)$/;
const FIELD = /<([a-z_]{1,40})>/g;
const PARAMETER = /<parameter=([\w.-]{1,80})>/g;

function fieldsIn(body: string, isFunction: boolean): Fields {
  const fields: Record<string, string> = {};
  let at = 0;
  for (const { index, 0: tag, 1: name = "" } of body.matchAll(isFunction ? PARAMETER : FIELD)) {
    if (index < at) continue;
    const start = index + tag.length;
    const close = isFunction ? "</parameter>" : `</${name}>`;
    const isLast = !isFunction && HOLDS_TAGS.test(name);
    const end = isLast ? body.lastIndexOf(close) : body.indexOf(close, start);
    fields[name] = body.slice(start, end < start ? body.length : end).replace(/^\n|\n$/g, "");
    at = end < start ? body.length : end + close.length;
  }
  return fields;
}

/** The calls that the fields of a tag stand for: several where it changes several files. */
function writtenCalls(toolName: string, fields: Fields): readonly WrittenCall[] {
  const files = (fields["args"] ?? "").split("<file>").slice(1);
  switch (toolName) {
    case "read_file":
      if (files.length === 0) return [{ toolName, input: fields }];
      return [{ toolName, input: { files: files.map((file) => fieldsIn(file, false)["path"] ?? "") } }];
    case "apply_diff":
    case "replace_in_file":
      return files.length === 0
        ? [{ toolName, input: editOf(fields) }]
        : files.map((file) => ({ toolName, input: editOf(fieldsIn(file, false)) }));
    case "search_and_replace":
      return [{ toolName, input: named(fields, { old_string: fields["search"], new_string: fields["replace"] }) }];
    case "update_todo_list":
      return [{ toolName, input: { todos: todosIn(fields["todos"] ?? "") } }];
    case "use_mcp_tool":
      return [{ toolName: fields["tool_name"] ?? toolName, input: argumentsOf(fields["arguments"] ?? "") }];
    default:
      return [{ toolName, input: fields }];
  }
}

/** An edit with the text that it replaces and the new one, as editors name them. */
function editOf(fields: Fields): JsonObject {
  const blocks = editBlocks(fields["diff"] ?? "");
  if (blocks.length === 0) return fields;
  return named(fields, {
    old_string: blocks.map(({ before }) => before).join("\n"),
    new_string: blocks.map(({ after }) => after).join("\n"),
  });
}

const named = ({ path = "" }: Fields, { old_string = "", new_string = "" }: Partial<Fields>): JsonObject => ({
  path,
  old_string,
  new_string,
});

function argumentsOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return { arguments: text };
  }
}

function readEdits(text: string, place: Place): SpokenAnswer {
  const found = editBlocks(text).filter(({ path }) => path !== "");
  const blocks = found.length > 0 ? found : fencedFiles(text);
  const calls = blocks.map((block) => callOf(writtenEdit(block), place));
  return { said: withoutLines(text, blocks).replace(BLOCKS_FOLLOW, "").trim(), calls, lists: [], isClosing: true };
}

/** A line that only introduces blocks. */
const BLOCKS_FOLLOW = /^Here (?:are|is) the \*?SEARCH\/REPLACE\*? blocks?\b.*$/gm;

const writtenEdit = ({ path, before, after }: EditBlock): WrittenCall =>
  before.trim() === ""
    ? { toolName: "write_to_file", input: { path, content: after } }
    : { toolName: "replace_in_file", input: { path, old_string: before, new_string: after } };

function withoutLines(text: string, blocks: readonly EditBlock[]): string {
  const lines = text.split("\n");
  const starts = [...blocks.map(({ from }) => from), lines.length];
  return starts.map((start, index) => lines.slice(blocks[index - 1]?.to ?? 0, start).join("\n")).join("\n");
}

const NOT_FOUND = /^## SearchReplaceNoExactMatch: .{0,200} in (\S{1,260})$/gm;

const NONE_MADE = /^\s*(?:The LLM did not conform to the edit format|I didn't see any properly formatted edits)/;
const SOME_MADE = /^\s*# \d+ SEARCH\/REPLACE blocks? failed to match!/;

/** Checks whether a message says that edits were not made. */
export const refusesEdits = (text: string): boolean => NONE_MADE.test(text) || SOME_MADE.test(text);

/** Checks whether the message after an answer says that an edit of a file was not made. */
export const isEditRefused = (path: string, next: string): boolean =>
  NONE_MADE.test(next) || (SOME_MADE.test(next) && [...next.matchAll(NOT_FOUND)].some(([, missed]) => missed === path));

/** The result of a call that an agent gave as text. */
export interface SpokenResult {
  readonly toolName: string;
  readonly text: string;
  readonly failed: boolean;
  /** The call that the result names. */
  readonly named: WrittenCall | null;
}

/**
 * Returns the results in a part of a user message; empty for a part that holds none.
 *
 * @param most the number of calls that wait for a result: what looks like the label of one more is part of a result.
 */
export function spokenResults(message: Message, part: number, form: SpokenForm, most: number): readonly SpokenResult[] {
  const text = textOf(message, part);
  if (message.role !== "user" || text === undefined) return [];
  if (form === "tags") return taggedResults(text, textOf(message, part + 1), most);
  if (form === "edits") return commandRun(text);
  const prompt = promptIn(text, message);
  if (prompt === null && !OBSERVATION.test(text)) return [];
  return [{ toolName: "shell", text: text.slice(0, text.length - (prompt?.length ?? 0)), failed: false, named: null }];
}

/** The next label of a result in the same text. */
const NEXT_LABEL = /\n(?=(?:Tool #\d{1,3}: )?\[[a-z]+(?:_[a-z]+)+ for '[^\n]{1,8000}\] (?:Error )?Result:(?:\n|$))/;

function taggedResults(text: string, next: string | undefined, most: number): readonly SpokenResult[] {
  const results: SpokenResult[] = [];
  let rest = text;
  while (results.length + 1 < most) {
    const cut = NEXT_LABEL.exec(rest)?.index;
    const first = cut === undefined ? null : taggedResult(rest.slice(0, cut), undefined);
    if (cut === undefined || first === null) break;
    results.push(first);
    rest = rest.slice(cut + 1);
  }
  const last = taggedResult(rest, next);
  return last === null ? results : [...results, last];
}

const textOf = ({ parts }: Message, index: number): string | undefined => {
  const part = parts[index];
  return part?.type === "text" ? part.text : undefined;
};

const OPENHANDS_LABEL = /^\s*EXECUTION RESULT of \[([\w.-]{1,80})\]:\n?/;
const DETAILS = /\n?<environment_details>[\s\S]*$/;
/** How the results of calls in tags begin that failed. */
const FAILED =
  /^\s*(?:The tool execution failed\b|<error(?:_details)?>|Unable to apply diff\b|Missing value for required parameter\b|Tool \[\w+\] was not executed\b)/;
const ERROR_IN = /<error(?:_details)?>([\s\S]*?)(?:<\/error|$)/;
/** What a harness writes above the output of a command. */
const COMMAND_FRAME = /^\s*Command executed[^\n]{0,400}(?:\n\s{0,8}Exit code: (\d{1,3}))?\s{1,8}Output:\n?/;

function taggedResult(text: string, next: string | undefined): SpokenResult | null {
  const other = OPENHANDS_LABEL.exec(text);
  const label =
    other === null ? resultLabel(text) : { toolName: other[1] as string, subject: "", end: other[0].length };
  if (label === null || speaks(label.toolName)) return null;
  const { toolName, subject } = label;
  const below = text.slice(label.end);
  const body = (below.trim() === "" ? (next ?? "") : below).replace(DETAILS, "").replace(/^\s*\n/, "");
  const failed = FAILED.test(body);
  const why = failed ? ERROR_IN.exec(body)?.[1]?.trim() : undefined;
  const frame = failed ? null : COMMAND_FRAME.exec(body);
  const code = frame?.[1] === undefined ? "" : `Exit code: ${frame[1]}\n`;
  const shown = why !== undefined ? `Error: ${why}` : frame === null ? body : code + body.slice(frame[0].length);
  return { toolName, text: withPlaces(shown), failed, named: namedCall(toolName, subject) };
}

/** The heading of the lines that a search found in a file, and a line with its number. */
const FOUND_IN = /^# (\S{1,260}\.\w{1,8})$/;
const NUMBERED = /^\s*(\d{1,7}) \| ?/;

/** Puts the places of shown lines as other programs print them: `src/a.ts:12:` in a search, `12|` in a file. */
function withPlaces(text: string): string {
  let path = "";
  return text.replace(/^.*$/gm, (line) => {
    path = line === "----" ? "" : (FOUND_IN.exec(line)?.[1] ?? path);
    return line.replace(NUMBERED, path === "" ? "$1| " : `${path.replaceAll("$", "$$$$")}:$1: `);
  });
}

function namedCall(toolName: string, subject: string): WrittenCall | null {
  const value = /^for '([\s\S]+)'$/.exec(subject)?.[1];
  if (value === undefined) return null;
  if (toolName === "execute_command") return { toolName, input: { command: value } };
  return /^(?:read_file|write_to_file|replace_in_file|apply_diff|insert_content)$/.test(toolName)
    ? { toolName, input: { path: value } }
    : null;
}

const COMMAND_RUN = /^\s*I ran this command:\n\n([\s\S]{1,4000}?)\n\nAnd got this output:\n\n/;

function commandRun(text: string): readonly SpokenResult[] {
  const [label, command = ""] = COMMAND_RUN.exec(text) ?? [];
  if (label === undefined) return [];
  const named = { toolName: "shell", input: { command } };
  return [{ toolName: "shell", text: text.slice(label.length), failed: false, named }];
}

/** Reads a call that only its result shows. */
export const readNamedCall = ({ named }: Pick<SpokenResult, "named">, place: Place): CallReading | null =>
  named === null ? null : callOf(named, place);
