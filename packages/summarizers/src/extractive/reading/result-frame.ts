import { asToolCallId, type JsonValue, type StructuredSummary, type ToolResultEnvelope } from "@threadfold/core";
import { type CallReading, readCall } from "./call-reading.ts";
import { outputFields, spelledFields, withoutStamps } from "./result-body.ts";
import type { Place } from "./speech.ts";

/** The output of a command, without what a harness wrote around it. */
export interface FramedOutput {
  readonly text: string;
  /** Null if the frame does not say. */
  readonly exitCode: number | null;
  /** Whether the frame says in another way that it failed; null if it does not say. */
  readonly failed: boolean | null;
  /** Whether the command goes on, ended or was stopped; null if the frame does not say. */
  readonly state: CommandState | null;
  /** The names by which later calls read on: a session, and the file that the output is written to. */
  readonly sessions: readonly string[];
}

export type CommandState = "running" | "ended" | "stopped";

/** The most of a text that a frame takes before the output or after it, in UTF-16 code units. */
const LONGEST_FRAME = 2_000;

/**
 * Returns what a command printed, if its harness wrote a known frame around it; null otherwise.
 *
 * @param body the body of the result as text.
 * @param isCommand whether the call is known to run a command.
 */
export function frameOf({ content }: ToolResultEnvelope, body: string, isCommand: boolean): FramedOutput | null {
  const frame = frameAround(content, body, isCommand);
  const printed = frame?.text ?? (content.type === "json" ? "" : body);
  const text = withoutStamps(printed);
  return text === printed ? frame : { ...(frame ?? framed(text, null)), text };
}

function frameAround(content: ToolResultEnvelope["content"], body: string, isCommand: boolean): FramedOutput | null {
  const value = content.type === "json" ? content.value : spelledFields(body);
  const fields = value === null ? null : outputFields(value, isCommand);
  if (fields === null) return content.type === "json" ? null : framedOutput(body);
  const { text, exitCode, failed, isRunning } = fields;
  const inner = exitCode === null ? framedOutput(text) : null;
  return { ...(inner ?? framed(text, exitCode, isRunning ? "running" : null)), failed: inner?.failed ?? failed };
}

function framedOutput(text: string): FramedOutput | null {
  for (const read of [
    headedOutput,
    geminiOutput,
    taggedOutput,
    closedOutput,
    sectionedOutput,
    codedOutput,
    startedOutput,
    unendedOutput,
    numberedOutput,
  ]) {
    const framed = read(text);
    if (framed !== null) return framed;
  }
  return null;
}

const framed = (text: string, exitCode: number | null, state: CommandState | null = null): FramedOutput => ({
  text,
  exitCode,
  failed: null,
  state: state ?? (exitCode === null ? null : "ended"),
  sessions: [],
});

/** The text above words that a harness wrote at its end; all of it without them. */
function above(words: string, text: string): string {
  const at = text.slice(-LONGEST_FRAME).lastIndexOf(words);
  return at < 0 ? text : text.slice(0, Math.max(0, text.length - LONGEST_FRAME) + at).trimEnd();
}

const figure = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));

/** The lines before an output: those of Codex, of Cline and of Roo Code. */
const HEAD =
  /^\s*(?:(?:Command: [^\n]*|Chunk ID: [^\n]*|(?:Wall time:?|Duration:) [^\n]*|Process (?:exited with code|running with session ID) [^\n]*|Exit code: -?\d+|Original token count: \d+|Total output lines: \d+|Script (?:completed|failed|running)[^\n]*)\n){2,9}Output:(?:\n|$)|^\s*Command executed\b[^\n]*\n(?:Exit code: -?\d+\n)?\s*(?:Output:(?:\n|$)|Output \([^)\n]{1,20}\) persisted\. Artifact ID: \S*\s+Preview:\n)/;
const CODE_IN_HEAD = /(?:exited with code|Exit code:) (-?\d+)/;
const SESSION_IN_HEAD = /(?:session|cell) ID:? (\S+)/;
/** What Codex writes above an output that it cut. */
const CUT_ABOVE = /^(?:Warning: truncated output[^\n]*\n)?(?:Total output lines: \d+\n)?\n?/;

/** What Roo Code writes below the beginning of an output that it kept. */
const KEPT_BELOW = "Use read_command_output tool to view full output if needed.";

function headedOutput(text: string): FramedOutput | null {
  const head = HEAD.exec(text.slice(0, LONGEST_FRAME))?.[0];
  if (head === undefined) return null;
  const session = SESSION_IN_HEAD.exec(head)?.[1];
  const output = above(KEPT_BELOW, text.slice(head.length).replace(CUT_ABOVE, ""));
  const state = session !== undefined ? "running" : head.includes("terminated by signal") ? "stopped" : null;
  const read = framed(output, figure(CODE_IN_HEAD.exec(head)?.[1]), state);
  return session === undefined ? read : { ...read, sessions: [session] };
}

const GEMINI_HEAD = /^(?:Command: [\s\S]*?\nDirectory: [^\n]*\n)?(?:Stdout|Output): /;
/** The fields of Gemini CLI below an output, the last one first; those that are empty may be left out. */
const GEMINI_FIELDS = ["Process Group PGID", "Background PIDs", "Signal", "Exit Code", "Error", "Stderr"];
const EMPTY = /^\((?:empty|none)\)$/;

function geminiOutput(text: string): FramedOutput | null {
  const head = GEMINI_HEAD.exec(text.slice(0, LONGEST_FRAME))?.[0];
  if (head === undefined) return null;
  const lines = text.slice(head.length).trimEnd().split("\n");
  const printed = lines.length;
  let exitCode: number | null = null;
  for (const field of GEMINI_FIELDS) {
    const last = lines.at(-1) ?? "";
    if (!last.startsWith(`${field}: `)) continue;
    const value = last.slice(field.length + 2);
    if (field === "Exit Code") exitCode = EMPTY.test(value) ? null : Number(value);
    // An error that is not empty belongs to the output.
    if ((field === "Error" || field === "Stderr") && !EMPTY.test(value)) lines[lines.length - 1] = value;
    else lines.pop();
  }
  if (lines.length === printed) return null;
  return framed(lines.filter((line) => !EMPTY.test(line)).join("\n"), exitCode, "ended");
}

/** The first tag of an output in tags: of mini-swe-agent, and of Claude Code for commands of users or in the background. */
const FIRST_TAG = /^\s*<(?:returncode|status|retrieval_status|task-notification|bash-stdout|bash-stderr)>/;
const CODE_TAG = /<(?:returncode|exit_code)>(-?\d+)<|\bexit code (-?\d+)/;
const STATE_TAG = /<status>(\w+)<\/status>/;
const OUTPUT_TAG =
  /(?:^|\n|>)<(output_head|elided_chars|output_tail|output|(?:bash-)?stdout|(?:bash-)?stderr|exception)>\n?/g;

function taggedOutput(text: string): FramedOutput | null {
  if (!FIRST_TAG.test(text.slice(0, LONGEST_FRAME))) return null;
  const { first, contents } = insideTags(text);
  const fields = text.slice(0, Math.min(first, LONGEST_FRAME));
  const [, code, said] = CODE_TAG.exec(fields) ?? [];
  const word = STATE_TAG.exec(fields)?.[1] ?? "";
  const state = word === "running" ? "running" : /^(?:killed|stopped)$/.test(word) ? "stopped" : null;
  const output = contents.filter((content) => content.trim() !== "");
  return framed(output.join("\n"), figure(code ?? said), state ?? "ended");
}

/** What stands in the tags of a text, one after the other, and where the first of them begins. */
function insideTags(text: string): { readonly first: number; readonly contents: readonly string[] } {
  const contents: string[] = [];
  let first = text.length;
  let from = 0;
  for (const { 0: opening, 1: tag, index } of text.matchAll(OUTPUT_TAG)) {
    // What was printed may hold such a tag.
    if (index < from) continue;
    const start = index + opening.length;
    const close = text.lastIndexOf(`</${tag}>`);
    const end = close < start ? text.length : close;
    contents.push(text.slice(start, end).replace(/\n$/, ""));
    first = Math.min(first, index);
    from = end;
  }
  return { first, contents };
}

/** The lines of OpenHands below an output. */
const FOOT =
  /\n?(?:\[(?:The command completed with exit code (-?\d+)|The command (has no new output|timed out) after |Current working directory: |Python interpreter: |Command finished with exit code (-?\d+))[^\n]*\n?){1,5}\s*$/;

function closedOutput(text: string): FramedOutput | null {
  const end = text.slice(-LONGEST_FRAME);
  const [foot, completed, waits, finished] = FOOT.exec(end) ?? [];
  const code = waits === undefined ? (completed ?? finished) : undefined;
  if (foot === undefined || (code ?? waits) === undefined) return null;
  return framed(text.slice(0, text.length - foot.length), figure(code), waits === undefined ? "ended" : "running");
}

/** Sections for what was printed and for complaints, with the exit code below them. */
const STDOUT_ABOVE = /^\s*stdout:[ \t]*\n/i;
const STDERR_ABOVE = /^stderr:[ \t]*$/gim;
const CODE_BELOW = /(?:^|\n)\s*(?:exit|return)[ _]?(?:code|status)?: ?(-?\d+)\s*$/i;

function sectionedOutput(text: string): FramedOutput | null {
  const head = STDOUT_ABOVE.exec(text.slice(0, LONGEST_FRAME))?.[0];
  if (head === undefined) return null;
  const [foot = "", code] = CODE_BELOW.exec(text.slice(-LONGEST_FRAME)) ?? [];
  const body = text.slice(head.length, text.length - foot.length);
  const border = [...body.matchAll(STDERR_ABOVE)].at(-1);
  const printed = body.slice(0, border?.index).trimEnd();
  const complaints = border === undefined ? "" : body.slice(border.index + border[0].length).trim();
  return framed(complaints === "" ? printed : `${printed}\n${complaints}`, figure(code));
}

/** An exit code above an output. */
const CODE_ABOVE =
  /^\s*(?:(?:exit|return|status)[ _]?code|exit[ _]?status): ?(-?\d+)[^\n]*\n(?:(?:code )?output|stdout|result):[ \t]*(?:\n|$)/i;

function codedOutput(text: string): FramedOutput | null {
  const [head, code] = CODE_ABOVE.exec(text.slice(0, LONGEST_FRAME)) ?? [];
  return head === undefined ? null : framed(text.slice(head.length), figure(code));
}

/** What harnesses return for a command that goes on in the background, and for one that was stopped there. */
const STARTED =
  /^\s*(?:Command (?:is )?running in (?:the )?(?:background|terminal)|Command was (?:manually )?backgrounded(?: by (?:the )?user)?|Command did not complete [^\n(]{1,80}|Background shell started) (?:with |\()ID[:=]? ?([\w-]{1,80})/;
const WRITTEN_TO = /\bwritten to:? (\S+?)\.?(?:\s|$)/;
const STOPPED = /^\s*(?:\{"message":")?Successfully (?:killed|stopped|terminated)\b/;

function startedOutput(text: string): FramedOutput | null {
  const said = text.slice(0, LONGEST_FRAME);
  if (STOPPED.test(said)) return framed("", null, "stopped");
  const session = STARTED.exec(said)?.[1];
  if (session === undefined) return null;
  const file = WRITTEN_TO.exec(said)?.[1];
  return { ...framed("", null, "running"), sessions: file === undefined ? [session] : [session, file] };
}

/** What Roo Code writes around the output of a command that goes on. */
const GOES_ON = /^\s*Command is still running in terminal [^\n]*\n(?:Here's the output so far:\n)?/;
const UPDATES_FOLLOW = "You will be updated on the terminal status";
/** The tags of OpenCode around its own words below an output: that it stopped the command, and why. */
const OWN_WORDS = /<(bash|shell)_metadata>\n([^<]{1,1000})\n<\/\1_metadata>\s*$/;

function unendedOutput(text: string): FramedOutput | null {
  const head = GOES_ON.exec(text.slice(0, LONGEST_FRAME))?.[0];
  if (head !== undefined) return framed(above(UPDATES_FOLLOW, text.slice(head.length)), null, "running");
  const [tagged, , words = ""] = OWN_WORDS.exec(text.slice(-LONGEST_FRAME)) ?? [];
  return tagged === undefined ? null : framed(text.slice(0, text.length - tagged.length) + words, null);
}

/** What a reader of files writes before each line. */
const LINE_NUMBER = /^ *\d+→/gm;

const numberedOutput = (text: string): FramedOutput | null =>
  /^ *\d+→/.test(text) ? framed(text.replace(LINE_NUMBER, ""), null) : null;

/** The fields of a call that name the command which it reads on, writes to or stops. */
const SESSION_FIELDS = ["session_id", "sessionId", "bash_id", "task_id", "shell_id", "cell_id", "terminal_id", "id"];
/** What a user ran in the harness, and the tag of the message with what it printed. */
const TYPED = /^\s*<bash-input>([^<].{0,2000})<\/bash-input>\s*$/s;
const PRINTED = /^\s*<bash-std(?:out|err)>/;
/** How a message begins that tells what a user ran, as pi and Codex write it. */
const RAN =
  /^Ran `([^`]{1,2000})`\n(?=```\n|\(no output\))|^\s*<user_shell_command>\s*<command>([^<]{1,2000})<\/command>\s*<result>\s*/;
const NOTICE = /^\s*<task-notification>\s*<task-id>([\w-]{1,80})<\/task-id>/;

/** The commands that go on in the background. Whoever reads their output later reads the outcome of the same command. */
export class BackgroundCommands {
  readonly #started = new Map<string, CallReading>();
  /** The newest command that the user ran. */
  #typed: CallReading | null = null;

  /** @param previous the summary that may know commands of an earlier span which went on. */
  constructor(previous: StructuredSummary | null) {
    for (const { toolName, keyFields, sources } of previous?.toolOutcomes ?? []) {
      const { command, session } = keyFields;
      const [messageId] = sources;
      if (typeof command !== "string" || typeof session !== "string" || messageId === undefined) continue;
      const call = { type: "tool-call", callId: asToolCallId("earlier"), toolName, input: { command } } as const;
      this.#started.set(session, {
        ...readCall(call, { messageId, position: 0, turn: 0 }),
        kind: "shell",
        script: command,
      });
    }
  }

  /** Returns the command that a call reads on or stops; the call itself if there is none. */
  commandOf(call: CallReading | null): CallReading | null {
    if (call === null || this.#started.size === 0) return call;
    return namesIn(call).flatMap((name) => this.#started.get(name) ?? [])[0] ?? call;
  }

  /**
   * Returns the commands whose output a message holds: of one in the background, or of one that the user ran. Empty if
   * the message only names the command that it announces, null if it is no such message.
   */
  heard(text: string, place: Place, isHarness: boolean): readonly HeardOutput[] | null {
    const typed = TYPED.exec(text.slice(0, LONGEST_FRAME * 2))?.[1];
    if (typed !== undefined) {
      this.#typed = userCommand(typed, place);
      return [];
    }
    const told = isHarness ? toldRun(text, place) : null;
    if (told !== null) return [told];
    const session = NOTICE.exec(text.slice(0, LONGEST_FRAME))?.[1];
    const call = session === undefined ? PRINTED.test(text) && this.#typed : this.#started.get(session);
    return call ? [heardOf(call, text)] : null;
  }

  /** Remembers a command that goes on. */
  note(call: CallReading | null, sessions: readonly string[]): void {
    if (call?.kind === "shell") for (const session of sessions) this.#started.set(session, call);
  }
}

/** The output of a command in a message, and the command. */
interface HeardOutput {
  readonly call: CallReading;
  readonly toolName: string;
  readonly text: string;
}

const heardOf = (call: CallReading, text: string): HeardOutput => ({ call, toolName: call.toolName, text });

const userCommand = (command: string, place: Place): CallReading =>
  readCall({ type: "tool-call", callId: asToolCallId("typed"), toolName: "bash", input: { command } }, place);

/** Reads a message in which a harness tells what a user ran and what it printed; null for any other. */
function toldRun(text: string, place: Place): HeardOutput | null {
  const [opening = "", inLine, inTags] = RAN.exec(text.slice(0, LONGEST_FRAME * 2)) ?? [];
  const command = (inLine ?? inTags)?.trim();
  if (command === undefined || command === "") return null;
  const rest = text.slice(opening.length).replace(/<\/result>\s*<\/user_shell_command>\s*$/, "");
  const close = rest.lastIndexOf("\n```\n");
  const output = rest.startsWith("```\n") && close > 0 ? `${rest.slice(4, close)}\n${rest.slice(close + 5)}` : rest;
  return heardOf(userCommand(command, place), output);
}

function namesIn({ kind, input, files }: CallReading): readonly string[] {
  if (kind === "shell" || kind === "read") return files.flatMap(({ path, action }) => (action === "read" ? path : []));
  if (kind !== "other" || typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const fields = input as Readonly<Record<string, JsonValue | undefined>>;
  return SESSION_FIELDS.flatMap((name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
  });
}

const FRAME_TIMES = 3;
/** The label that harnesses put before an error message of a command, which may recur. */
const SAYS_ERROR = /^\s*\[(?:error|stderr)\]/i;

/**
 * Returns the last lines that many outputs have in common, after other output. They are written by a shell or harness
 * and say nothing about the command.
 */
export function repeatedEnds(ends: readonly (readonly string[])[]): ReadonlySet<string> {
  const byLast = Map.groupBy(ends, ([last = ""]) => last);
  const isFrame = ([last, alike]: [string, readonly (readonly string[])[]]): boolean =>
    alike.length >= FRAME_TIMES && alike.some(({ length }) => length > 1) && !SAYS_ERROR.test(last);
  return new Set([...byLast].filter(isFrame).map(([last]) => last));
}
