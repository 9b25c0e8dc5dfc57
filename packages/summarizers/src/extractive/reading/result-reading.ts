import type { JsonValue, ToolResultContent, ToolResultEnvelope } from "@threadfold/core";
import type { CallReading } from "./call-reading.ts";
import type { Place } from "./speech.ts";

/** What a tool result shows: its body as text, its exit code, and whether it failed. */
export interface ResultReading {
  readonly place: Place;
  readonly envelope: ToolResultEnvelope;
  /** The call that it answers; null when the span does not contain it. */
  readonly call: CallReading | null;
  /** The body as text. For a JSON body, the texts and numbers in it, one per line, up to a limit. */
  readonly text: string;
  readonly exitCode: number | null;
  readonly failed: boolean;
}

/** A call that the user refused, so that it was not made. */
export interface Refusal extends Pick<ResultReading, "place" | "envelope"> {
  readonly call: CallReading;
  /** The reason that the user gave; empty when there is none. */
  readonly reason: string;
}

/** The most of a JSON body that is read, in UTF-16 code units. */
const MAX_JSON_TEXT = 16_000;
const EXIT_HEAD = 200;
const EXIT_TAIL = 300;
const EXIT_CODE =
  /(?:exit(?:ed)?(?:[ _](?:code|status))?(?: with)?(?:[ _](?:code|status))?|return(?:ed)?[ _]?code|returncode|non-zero exit status)["'>]?\s*[:=]?\s*(-?\d{1,5})\b/i;
const EXIT_FIELDS = ["exit_code", "exitCode", "returncode", "return_code", "exit_status"];

/** Reads one result. `call` is the call that it answers. */
export function readResult(envelope: ToolResultEnvelope, call: CallReading | null, place: Place): ResultReading {
  const text = contentText(envelope.content);
  const exitCode = call === null || call.kind === "shell" || call.kind === "other" ? exitCodeOf(envelope, text) : null;
  const failed = envelope.outcome === "failure" || (exitCode !== null && exitCode !== 0);
  return { place, envelope, call, text, exitCode, failed };
}

/** Matches what harnesses return for a call that the user refused. */
const REFUSED =
  /^\s*(?:(?:the )?user (?:doesn['’]t want to (?:proceed with this tool use|take this action)|(?:denied|rejected|declined) (?:this |the |permission ))|(?:[\w-]+ ){0,3}rejected by (?:the )?user\b|\[operation cancelled\] reason: user|tool (?:call |execution )?(?:was )?(?:denied|not approved))/i;
/** Matches a refusal that is the whole result, for harnesses that report a refused call as successful. */
const ONLY_REFUSED =
  /^\s*(?:(?:[\w-]+ ){0,3}rejected by (?:the )?user|tool execution was not approved|the user denied this operation(?: and provided the following feedback:\s*<feedback>[^<]*<\/feedback>)?)[.\s]*$/i;
/** The text before the reason, and the text after it. */
const REASON = /(?:\bthe user said|\bfeedback):\s*(?:<feedback>)?/i;
const BEHIND_REASON = /<\/feedback>|\n\s*\nNote: /;
/** The most of a result that is read for a refusal and its reason, in UTF-16 code units. */
const REFUSAL_READ = 2_000;

/**
 * Returns the refusal that a result reports; null for any other result. A text that only looks like a refusal may be
 * the content of a file, so for a call that did not fail, the refusal must be the whole result.
 */
export function refusalOf({ call, text, envelope, place }: ResultReading): Refusal | null {
  const read = text.slice(0, REFUSAL_READ);
  const isRefused =
    envelope.outcome === "failure" ? REFUSED.test(read) : text.length <= REFUSAL_READ && ONLY_REFUSED.test(read);
  if (call === null || !isRefused) return null;
  const before = REASON.exec(read);
  const reason = before === null ? "" : (read.slice(before.index + before[0].length).split(BEHIND_REASON)[0] as string);
  return { call, envelope, place, reason: reason.trim() };
}

function contentText(content: ToolResultContent): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "blocks":
      return content.blocks.length === 1 && content.blocks[0]?.type === "text"
        ? content.blocks[0].text
        : content.blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    case "json":
      return jsonText(content.value);
  }
}

function jsonText(value: JsonValue): string {
  const texts: string[] = [];
  let room = MAX_JSON_TEXT;
  const visit = (item: JsonValue | undefined): void => {
    if (room <= 0 || item === null || item === undefined || typeof item === "boolean") return;
    if (typeof item === "object") return (Array.isArray(item) ? item : Object.values(item)).forEach(visit);
    const text = String(item).slice(0, room);
    room -= text.length + 1;
    texts.push(text);
  };
  visit(value);
  return texts.join("\n");
}

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

const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;
/** A line that names an error, strongest forms first. Anchored or literal, so that each line is read once. */
const STRONG =
  /^(?:E\s{2,}\S|[A-Za-z_.]{0,60}(?:Error|Exception|Panic)\b\s*[:(]|error(?:\[\w+\]|:| TS\d)|fatal:|panic:|FAILED\b|FAIL\b|\S{1,120}:\d+(?::\d+)?:? (?:fatal )?error\b)/;
const WEAK =
  /\b(?:error|failed|failure|exception|cannot|not found|no such file|denied|undefined|assert(?:ion)?|unrecognized|invalid|missing|conflict|timed? ?out|refused|traceback)\b/i;
const NO_ERROR = /\b(?:0|no) (?:errors?|failures?|failed)\b|error(?:s|_count)?[=:] ?0\b/i;
const ERROR_HEAD = 1_000;
const ERROR_TAIL = 2_000;
const MAX_ERROR_LINE = 220;

/**
 * Returns the line of a result that says what went wrong: the last strong one, else the first weak one; null if none.
 */
export function errorLine(text: string, strongOnly: boolean): string | null {
  const ends =
    text.length <= ERROR_HEAD + ERROR_TAIL ? text : `${text.slice(0, ERROR_HEAD)}\n${text.slice(-ERROR_TAIL)}`;
  let strong: string | null = null;
  let weak: string | null = null;
  for (const raw of ends.split("\n")) {
    if (raw.length > 2_000) continue;
    const line = raw
      .replace(ANSI, "")
      .replace(/^\[(?:error|stderr)\]\s*/i, "")
      .trim();
    if (line.length < 6 || NO_ERROR.test(line)) continue;
    if (STRONG.test(line)) strong = line;
    else if (!strongOnly && weak === null && WEAK.test(line)) weak = line;
  }
  const found = strong ?? weak;
  return found === null ? null : found.replace(/\s+/g, " ").slice(0, MAX_ERROR_LINE).toWellFormed();
}

const TEST_TAIL = 3_000;
const COUNT = /\b(\d{1,7}) (passed|failed|failing|passing|skipped|errors?|failures?|pending|todo|xfailed|warnings?)\b/g;
const LABELLED = /\b(Tests run|Failures|Errors|Skipped): ?(\d{1,7})/g;
const VERDICT =
  /^(?:ok\s+\S+|FAIL\s+\S+|PASS|test result: \w+|BUILD (?:SUCCESSFUL|FAILED)|BUILD SUCCESS|OK \(\d+ tests?\)|All checks passed!?)/m;

/** Git's count of changes, below the names of a `diff --stat` or after the subject of a commit. */
const CHANGED = /^ ?\d{1,6} files? changed(?:, \d{1,7} (?:insertion|deletion)s?\([+-]\)){0,2}$/gm;

/**
 * Returns the counts or the verdict at the end of a test run, such as `12 passed, 1 failed`, or git's count of changes;
 * null when there are none.
 */
export function countedResult(text: string): string | null {
  const tail = text.slice(-TEST_TAIL);
  const counts = new Map<string, string>();
  for (const [, figure, word] of tail.matchAll(COUNT)) counts.set(word as string, figure as string);
  if (counts.size > 0) return [...counts].map(([word, figure]) => `${figure} ${word}`).join(", ");
  const labelled = [...tail.matchAll(LABELLED)].map(
    ([, word, figure]) => `${(word as string).toLowerCase()} ${figure}`,
  );
  if (labelled.length > 0) return labelled.slice(-4).join(", ");
  const verdict = VERDICT.exec(tail)?.[0] ?? `${text.slice(0, TEST_TAIL)}\n${tail}`.match(CHANGED)?.at(-1);
  return verdict?.trim().slice(0, 80).toWellFormed() ?? null;
}

/** A line of `ls -l`: its mode, and the name after links, owner, group, size and time. */
const LISTED = /^([-dlbcps])[-rwxsStT]{9}\S?\s+\d+\s+\S+\s+\S+\s+\S+\s+\p{L}+\s+\d+\s+[\d:]+\s+(\S.*)$/u;
const FEWEST_LISTED = 2;
/** In UTF-16 code units. A longer listing is reported by its last line, like other output. */
const LONGEST_LISTING = 64_000;

/**
 * Returns the names in a long listing of a folder (`ls -l`): the last ones if there is not room for all, but always at
 * least one; null for other output.
 *
 * @param room the room for the names, in UTF-16 code units.
 */
export function listedNames(text: string, room: number): string | null {
  if (text.length > LONGEST_LISTING) return null;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const listed = lines.flatMap((line) => {
    const [, mode, name = ""] = LISTED.exec(line) ?? [];
    return mode === undefined ? [] : [mode === "d" ? `${name}/` : name];
  });
  const names = listed.filter((name) => name !== "./" && name !== "../");
  if (names.length < FEWEST_LISTED || listed.length < lines.length / 2) return null;
  let left = room;
  const from = names.findLastIndex((name) => (left -= name.length + 2) < 0) + 1;
  const shown = names.slice(Math.min(from, names.length - 1));
  return `${names.length} entries: ${shown.length < names.length ? "…, " : ""}${shown.join(", ")}`;
}

/** How much of the end of an output is read for its last lines, in UTF-16 code units. */
const LAST_READ = 1_000;
const LAST_LINES = 3;
/** Lines that a harness adds after a command's output, and marks of a cut; the exit code is recorded separately. */
const ENDS_ONLY =
  /^\s*(?:[[<(]?(?:exit(?:ed)?(?: with)?[ _-]?(?:code|status)|return ?code|no output|(?:the )?command (?:completed|exited))\b|<\/?[\w-]+>\s*$|shell cwd was reset\b|\W*\d+ (?:more )?(?:lines?|characters?|bytes) (?:truncated|omitted|left out|elided))/i;
/** Matches a note that lines are missing. If an output merely mentions it, its lines are not counted either. */
const CUT = /\b(?:truncated|omitted|left out|elided)\b/i;
/** The banner of npm and the like before a script: its name and its command. */
const BANNER = /^> \S+ \S+\n> .+$/gm;

const isHarness = (line: string): boolean => line.length <= LAST_READ && ENDS_ONLY.test(line);
const isPrinted = (line: string): boolean => line.trim() !== "" && !isHarness(line);
const saysSomething = (line: string): boolean => /[\p{L}\p{N}]{3}/u.test(line) && !isHarness(line);

/** Checks whether an output contains nothing but what a harness adds. */
export const isSilent = (text: string): boolean => text.length <= LAST_READ && !text.split("\n").some(isPrinted);

/** Returns the last meaningful lines, the last one first. */
export function lastLines(text: string): readonly string[] {
  const lines = text.slice(-LAST_READ).replaceAll(BANNER, "").trimEnd().split("\n");
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
  const lines = text.slice(0, LONGEST_LISTING).split("\n");
  const isWhole = text.length <= LONGEST_LISTING && !CUT.test(text);
  return { first: lines.find(saysSomething), count: isWhole ? lines.filter(isPrinted).length : null };
}
