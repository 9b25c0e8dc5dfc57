import { type JsonValue, type ToolResultEnvelope, toolArguments } from "@threadfold/core";
import { excerpt, oneLine } from "../../text/excerpt.ts";
import type { CallReading } from "./call-reading.ts";
import { contentText, refusesCall, saysCouldNot, spelledFields, tellsOfFailure, valueIn } from "./result-body.ts";
import { type CommandState, frameOf } from "./result-frame.ts";
import { findsNothing } from "./shell-command.ts";
import type { Place } from "./speech.ts";

/** What a tool result shows: its body as text, its exit code, and whether it failed. */
export interface ResultReading {
  readonly place: Place;
  readonly envelope: ToolResultEnvelope;
  /** The call that it answers; null when the span does not contain it. */
  readonly call: CallReading | null;
  /** The body as text, without what a harness wrote around a command's output. */
  readonly text: string;
  /** True if lines of the text are lines of what was printed, and not values of a JSON body. */
  readonly isLined: boolean;
  /** Whether the command goes on; null if the result does not say. */
  readonly state: CommandState | null;
  /** The names by which later calls read on. Empty for a command that ended. */
  readonly sessions: readonly string[];
  readonly exitCode: number | null;
  readonly failed: boolean;
}

/** A call that the user refused, so that it was not made. */
export interface Refusal extends Pick<ResultReading, "place" | "envelope"> {
  readonly call: CallReading;
  /** The reason that the user gave; empty when there is none. */
  readonly reason: string;
}

/** Reads one result. `answered` is the call that it answers. */
export function readResult(envelope: ToolResultEnvelope, answered: CallReading | null, place: Place): ResultReading {
  const body = contentText(envelope.content);
  const mayRun = answered === null || answered.kind === "shell" || (answered.kind === "other" && !answered.isLook);
  const frame = mayRun || answered.kind === "patch" ? frameOf(envelope, body, answered?.kind === "shell") : null;
  const text = frame?.text ?? (answered?.kind === "agent" ? reportIn(body) : body);
  const call = withShownFiles(answered, text);
  const exitCode = frame?.exitCode ?? (mayRun ? exitCodeOf(envelope, frame === null ? text : "") : null);
  const failed =
    !foundNothing(call, text, exitCode) &&
    (envelope.outcome === "failure" ||
      (exitCode === null ? (frame?.failed ?? saysThatItFailed(call, envelope, text)) : exitCode !== 0));
  const isLined = frame !== null || envelope.content.type !== "json";
  return {
    place,
    envelope,
    call,
    text,
    isLined,
    state: frame?.state ?? null,
    sessions: frame?.sessions ?? [],
    exitCode,
    failed,
  };
}

/**
 * Checks whether a search printed nothing and returned 1, by which it says that it found nothing. Where a harness only
 * says that it failed, it did not fail in another way, which it would have complained of.
 */
const foundNothing = (call: CallReading | null, text: string, exitCode: number | null): boolean =>
  (exitCode ?? 1) === 1 && call?.script != null && isSilent(text) && findsNothing(call.script);

/** What OpenCode writes above the report of a sub-agent, and how far it reaches, in UTF-16 code units. */
const ABOVE_REPORT = /^(?:task_id: [^\n]*\s+|<task [^>\n]*>\s*)?<task_result>/;
const LONGEST_ABOVE = 400;

function reportIn(text: string): string {
  const start = ABOVE_REPORT.exec(text.slice(0, LONGEST_ABOVE))?.[0].length;
  const end = start === undefined ? -1 : text.lastIndexOf("</task_result>");
  return start === undefined || end < start ? text : text.slice(start, end).trim();
}

/** The first line of what an editor shows of its open file. */
const OPEN_FILE = /^\[File: ([^\n]{1,300}) \(\d+ lines total\)\]$/m;

/** What editors say when the file that they wrote existed before. */
const WRITTEN_OVER =
  /\b(?:overwrote|overwritten|has been updated)\b|^wrote \S+ \(\d+ lines\)|"operation":"modified"|<operation>modified</i;
const SAID_OF_FILE = 300;

/** The call with its files as the result shows them: an edit may name no file, and a file written may not be new. */
function withShownFiles(call: CallReading | null, text: string): CallReading | null {
  if (call?.kind === "edit" && call.files.length === 0) {
    const path = OPEN_FILE.exec(text)?.[1];
    return path === undefined ? call : { ...call, files: [{ path, action: "modified" }] };
  }
  if (call?.kind !== "write" || !WRITTEN_OVER.test(text.slice(0, SAID_OF_FILE))) return call;
  return { ...call, files: call.files.map(({ path }) => ({ path, action: "modified" })) };
}

/** The label with which harnesses begin the result of a call that failed. */
const ERROR_LABEL = /^\s*(?:<tool_use_error>|\[?error\]?\s*[:\]])\s*/i;
/** How editors begin a result when nothing was written. Other results may begin so by what they show. */
const NOTHING_WRITTEN =
  /^\s*(?:no (?:replacement|changes?) (?:was|were) (?:performed|made)|ran into \[errno|invalid `?\w+`? parameter|your proposed edit has introduced|could not find the exact text|unable to apply diff|string to replace not found|file (?:\S{1,300} )?(?:not found|does not exist)|cannot (?:edit|write)|apply_patch verification failed)\b/i;
/** Labelled error output that begins with the complaint of a program or shell, and not with a note or progress. */
const COMPLAINS =
  /^\s*\[error\]\s*(?:Traceback\b|[Ee]rror\b|(?!(?:note|hint|info|debug|warn|warning|remote):)[a-z./][\w./-]{0,60}:(?!\d))/;
const COULD_NOT_RUN = /^\s*\[error\]\s*error running\b/i;
/** What SWE-agent says in the place of the output of a command that took too long. */
const WAS_STOPPED = /^\s*The command '[^\n]{1,2000}?' was cancelled because it took more than \d/;
/** A command that says what to do in the place of what fails. */
const hasFallback = ({ script }: CallReading): boolean => script?.includes("||") ?? false;
const QUOTED = /`([^`]*)(?:`|$)/g;
/** A longer quote, in UTF-16 code units, is a passage of a file and says nothing about the error. */
const LONGEST_QUOTE = 60;
/** What a service answers instead of what it was asked for. */
const JSON_ERROR = /^\s*\{\s*"errors?"\s*:\s*(?:"[^"]|\{\s*"|\[\s*[{"])/;
/** A longer result than this, in UTF-16 code units, shows something, whatever it begins with. */
const LONGEST_ERROR = 400;

/** How Roo Code answers when a call failed, and the most that is read of such an answer, in UTF-16 code units. */
const STATUS_ERROR = /^\s*\{"status":"error","(?:message|type)":"/;
const LONGEST_STATUS = 4_000;

/** Returns a text in a result of fields; null if there is none. */
export function jsonField(text: string, name: string): string | null {
  const value = text.length > LONGEST_STATUS ? undefined : toolArguments(spelledFields(text))[name];
  return typeof value === "string" ? value : null;
}

const isStatusError = (text: string): boolean =>
  text.length <= LONGEST_STATUS && (STATUS_ERROR.test(text) || tellsOfFailure(spelledFields(text)));

/** Checks a result by its words, for harnesses that mark no result as failed. */
function saysThatItFailed(call: CallReading | null, { content }: ToolResultEnvelope, text: string): boolean {
  if (call === null) return false;
  if (content.type === "json" ? tellsOfFailure(content.value) : isStatusError(text)) return true;
  if (call.kind === "shell")
    return WAS_STOPPED.test(text) || (COMPLAINS.test(text) && (COULD_NOT_RUN.test(text) || !hasFallback(call)));
  if (call.files.some(({ action }) => action !== "read")) return ERROR_LABEL.test(text) || NOTHING_WRITTEN.test(text);
  if (text.length <= LONGEST_ERROR && ERROR_LABEL.test(text)) return true;
  if (call.kind !== "other") return false;
  return JSON_ERROR.test(text) || saysCouldNot(text) || refusesCall(valueIn(content, text), call.isLook);
}

const shortQuote = (whole: string, quoted: string): string => (quoted.length > LONGEST_QUOTE ? "`…`" : whole);

/** Returns what a failed result begins with, without a label, if it begins with a label or as editors do. */
function labelledError(text: string): string | null {
  const why = isStatusError(text) ? (jsonField(text, "error") ?? jsonField(text, "message")) : null;
  if (why !== null) return excerpt(why, MAX_ERROR_LINE);
  if (!ERROR_LABEL.test(text) && !NOTHING_WRITTEN.test(text)) return null;
  const plain = text.slice(0, ERROR_HEAD).replace(ERROR_LABEL, "");
  return excerpt(plain.replace(/<\/tool_use_error>\s*$/, "").replace(QUOTED, shortQuote), MAX_ERROR_LINE);
}

const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;
/** A line that names an error, strongest forms first. Anchored or literal, so that each line is read once. */
const STRONG =
  /^(?:E\s{2,}\S|[A-Za-z_.]{0,60}(?:Error|Exception|Panic)\b\s*[:(]|(?:error|ERROR)(?:\[\w+\]|:| TS\d)|\d{1,6}:\d{1,6}\s+error\s|fatal:|panic:|FAILED\b|FAIL\b|\S{1,120}:\d+(?::\d+)?:? (?:fatal )?error\b)/;
const WEAK =
  /\b(?:error|failed|failure|exception|cannot|not found|no such file|denied|undefined|assert(?:ion)?|unrecognized|invalid|missing|conflict|timed? ?out|took more than \d+ seconds|refused|traceback)\b/i;
const NO_ERROR =
  /\b(?:0|no) (?:errors?|failures?|failed)\b|error(?:s|_count)?[=:] ?0\b|^(?:std)?err(?:or)?: \((?:none|empty)\)|^(?:plugins|rootdir): /i;
/** Tags of lines that a build prints besides its errors. */
const NO_ERROR_TAG = /^\[(?:INFO|DEBUG|TRACE|WARN(?:ING)?)\]/;
/** A diagnostic of a compiler or linter: a file, a line and a message. */
const LOCATED =
  /^(?:\[[\w:.-]{1,40}\] )?(?:[A-Za-z]:)?[\w@+-]{0,80}[./\\][\w.\\/@+-]{1,160}(?::\d+(?::\d+)?|\(\d+,\d+\)):\s\S/;
/** Words of a program that only say that another one failed, or that the error follows. */
const FAILED_AROUND = /\btask failed$|^Traceback \(most recent call last\)|^npm (?:ERR!|error)|\bLifecycle script\b/;
/** The last line of a traceback of Python whose exception has another name than an error. */
const RAISED = /^(?:[a-z_]\w{0,40}\.){1,8}[A-Z]\w{1,60}: \S/;
const ERROR_HEAD = 1_000;
const ERROR_TAIL = 2_000;
const MAX_ERROR_LINE = 220;
const MAX_FAILURE = 160;

/** The kinds of lines that may say what went wrong, best first. */
const KINDS = ["strong", "located", "weak", "around"] as const;
type ErrorKind = (typeof KINDS)[number];

/**
 * Returns the line of a result that says what went wrong: the last strong one, else, where it is known that something
 * did, the first of the best kind; null if none.
 */
export function errorLine(text: string, strongOnly: boolean): string | null {
  const found = new Map<ErrorKind, string>();
  let traced = false;
  for (const raw of endsOf(text).split("\n")) {
    if (raw.length > 2_000) continue;
    const line = raw
      .replace(ANSI, "")
      .replace(/^(?:##)?\[(?:error|stderr)\]\s*/i, "")
      .trim();
    traced ||= line.startsWith("Traceback");
    const kind = errorKind(line, traced);
    if (kind === "strong" || (kind !== null && !found.has(kind))) found.set(kind, line);
  }
  const told = KINDS.filter((kind) => kind === "strong" || !strongOnly).find((kind) => found.has(kind));
  return told === undefined
    ? null
    : oneLine(found.get(told) as string)
        .slice(0, MAX_ERROR_LINE)
        .toWellFormed();
}

function errorKind(line: string, traced: boolean): ErrorKind | null {
  if (line.length < 6 || NO_ERROR.test(line) || NO_ERROR_TAG.test(line)) return null;
  if (FAILED_AROUND.test(line)) return "around";
  if (STRONG.test(line) || (traced && RAISED.test(line))) return "strong";
  return LOCATED.test(line) && !/warning/i.test(line) ? "located" : WEAK.test(line) ? "weak" : null;
}

/** The beginning and the end of a text, each with whole lines. */
function endsOf(text: string): string {
  if (text.length <= ERROR_HEAD + ERROR_TAIL) return text;
  const cut = text.length - ERROR_TAIL;
  const start = text.lastIndexOf("\n", cut);
  return `${text.slice(0, ERROR_HEAD)}\n${text.slice(cut - start > ERROR_HEAD ? cut : start + 1)}`;
}

/** Returns what went wrong by the output of a failed command; null if it does not say. */
export const printedError = (text: string): string | null => errorLine(text, false) ?? labelledError(text);

/** Returns what went wrong by the result of a failed call of another tool; empty if it is. */
export const toolError = (text: string): string =>
  labelledError(text) ?? errorLine(text, false) ?? excerpt(text, MAX_FAILURE);

/** The last line of a text, with which a program that failed may have said why; null if it is long, as data are. */
export function lastWords(text: string): string | null {
  const [line] = lastLines(text);
  return line === undefined || line.length > MAX_ERROR_LINE ? null : oneLine(line);
}

/** In UTF-16 code units. A longer output is not counted. */
const LONGEST_COUNTED = 64_000;

/** How much of the end of an output is read for its last lines, in UTF-16 code units. */
const LAST_READ = 1_000;
const LAST_LINES = 3;
/** Lines that a harness adds after a command's output, and marks of a cut; the exit code is recorded separately. */
const ENDS_ONLY =
  /^\s*(?:[[<(]?(?:exit(?:ed)?(?: with)?[ _-]?(?:code|status)|return ?code|no output|(?:the )?command (?:completed|exited)|\w{1,20} (?:completed|ran) with(?: no|out) output)\b|your command ran successfully and did not produce|\((?:open file|current directory): [^\n]*\)\s*$|bash-\$\s*$|(?:error|stderr|signal|background pids|process group pgid): (?:\((?:none|empty)\)|\d+)\s*$|<\/?[\w-]+>\s*$|shell cwd was reset\b|\W*\d+ (?:more )?(?:lines?|characters?|bytes|tokens) (?:truncated|omitted|left out|elided))/i;
/** Matches a note that lines are missing. If an output merely mentions it, its lines are not counted either. */
const CUT = /\b(?:truncated|omitted|left out|elided)\b/i;
/** A warning of Python, with the line of code that caused it, or of Node. */
const WARNING =
  /^(?:\S.{0,300}?:\d+: \w*Warning: .*(?:\n {2,}\S.*)?|\(node:\d+\) .{0,60}Warning: .*|\(Use `node --trace-.*)$\n?/gm;
/** How much of the end of an output is read for warnings, in UTF-16 code units. */
const WARNINGS_READ = 16_000;
/** The banner of npm and the like before a script: its name and its command. */
const BANNER = /^> \S+ \S+\n> .+$/gm;

const isHarness = (line: string): boolean => line.length <= LAST_READ && ENDS_ONLY.test(line);
const isPrinted = (line: string): boolean => line.trim() !== "" && !isHarness(line);
/** Lines by which Go says which test it goes on with. */
const PROGRESS = /^=== (?:RUN|PAUSE|CONT|NAME)\b/;
const saysSomething = (line: string): boolean =>
  /[\p{L}\p{N}]{3}/u.test(line) && !isHarness(line) && !isRecord(line) && !PROGRESS.test(line);
/** A longer record on one line, in UTF-16 code units, is data that nobody reads. */
const LONGEST_RECORD = 200;
const isRecord = (line: string): boolean => line.length > LONGEST_RECORD && /^\s*(?:\{\s*"|\[\s*[[{"])/.test(line);

/** Returns an output without the warnings at its end that interpreters print besides what a program does. */
export function withoutWarnings(text: string): string {
  const start = Math.max(0, text.length - WARNINGS_READ);
  const end = text.slice(start);
  return end.includes("Warning: ") ? text.slice(0, start) + end.replace(WARNING, "") : text;
}

/** Checks whether an output contains nothing but what a harness adds. */
export const isSilent = (text: string): boolean => text.length <= LAST_READ && !text.split("\n").some(isPrinted);

/** Returns the last meaningful lines, the last one first. A line that is too long to be read is shown by its beginning. */
export function lastLines(text: string): readonly string[] {
  const start = Math.max(0, text.length - LAST_READ);
  const lines = text.slice(start).replaceAll(BANNER, "").trimEnd().split("\n");
  const first = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  if (first < start) lines[0] = text.slice(first, first + LAST_READ).split("\n", 1)[0] as string;
  return lines.filter(saysSomething).slice(-LAST_LINES).reverse();
}

/** Returns the output of a command that printed only a few characters, such as a number; null for other output. */
export function fewCharacters(text: string): string | null {
  if (text.length > LAST_READ || lastLines(text).length > 0) return null;
  const [line, ...others] = text.split("\n").filter(isPrinted);
  return line === undefined || others.length > 0 ? null : line.trim();
}

/** Returns the first meaningful line, and the number of lines printed: null if the output is cut or very long. */
export function outputLines(text: string): { readonly first: string | undefined; readonly count: number | null } {
  const lines = text.slice(0, LONGEST_COUNTED).split("\n");
  const isWhole = text.length <= LONGEST_COUNTED && !CUT.test(text);
  return { first: lines.find(saysSomething), count: isWhole ? lines.filter(isPrinted).length : null };
}

const EXIT_HEAD = 200;
const EXIT_TAIL = 300;
const EXIT_CODE =
  /(?:exit(?:ed)?(?:[ _](?:code|status))?(?: with)?(?:[ _](?:code|status))?|return(?:ed)?[ _]?code|returncode|non-zero exit status)["'>]?\s*[:=]?\s*(-?\d{1,5})\b/i;
const EXIT_FIELDS = ["exit_code", "exitCode", "returncode", "return_code", "exit_status"];

/** Returns the exit code in a result without a known frame: in its fields, or in words at its beginning or end. */
function exitCodeOf({ content, keyFields }: ToolResultEnvelope, text: string): number | null {
  const structured = content.type === "json" ? content.value : keyFields;
  const known = structured === undefined ? null : exitField(structured, 0);
  if (known !== null) return known;
  const ends = text.length <= EXIT_HEAD + EXIT_TAIL ? text : `${text.slice(0, EXIT_HEAD)}\n${text.slice(-EXIT_TAIL)}`;
  const found = EXIT_CODE.exec(ends);
  return found === null ? null : Number(found[1]);
}

/** The exit code in the result's own fields, or one level below them. */
function exitField(value: JsonValue, depth: number): number | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const fields = value as Readonly<Record<string, JsonValue | undefined>>;
  for (const name of EXIT_FIELDS) {
    const code = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof code === "number") return code;
  }
  if (depth > 0) return null;
  for (const item of Object.values(fields)) {
    const code = item === undefined ? null : exitField(item, depth + 1);
    if (code !== null) return code;
  }
  return null;
}
