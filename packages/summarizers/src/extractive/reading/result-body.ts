import {
  type JsonObject,
  type JsonValue,
  plainToolName,
  type ToolResultContent,
  toolArguments,
} from "@threadfold/core";

/** The most of a JSON body that is read, in UTF-16 code units. */
const MAX_JSON_TEXT = 16_000;

/** Returns the body of a result as text. Of a JSON body, the texts and numbers in it, one per line, up to a limit. */
export const contentText = (content: ToolResultContent): string => bodyText(content).replace(LABEL, "");

/** What stands above a result: SWE-agent's label, or what the user said on approving a call of Roo Code. */
const LABEL = /^OBSERVATION:\r?\n|^\{"status":"approved","feedback":"(?:[^"\\]|\\.)*"\}\s*/;

/** Returns what stands above a result; empty if nothing does. */
export const labelOf = (content: ToolResultContent): string =>
  content.type === "json" ? "" : (LABEL.exec(bodyText(content))?.[0] ?? "");

function bodyText(content: ToolResultContent): string {
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

/**
 * What is written before each line of a log: by services the job and the time, by Docker the container, by Turborepo
 * and pnpm the package and its task.
 */
const STAMP =
  /^(?:(?:[^\t\n]{1,80}\t){0,2}(?:[\w.-]{1,60} {1,9}\| )?\ufeff?\[?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z\]?(?: |$)|[\w.-]{1,60}[-_]\d{1,3} {1,9}\| |(?!error|warning|info|debug)(?:@[\w.-]{1,40}\/)?[a-z\d_-]{1,60}:[a-z][\w:-]{0,40}: |[\w.-]{1,40}\/[\w./-]{1,80} (?!error|warning)[a-z][\w:-]{0,40}[:$] )/;
/** The share of the lines that must have one: others are notes of whoever passed the log on. */
const LEAST_STAMPED = 0.8;
const STAMPED_LINES = 2;

/** Returns an output without what stands before each of its lines, if it does before nearly all. */
export function withoutStamps(text: string): string {
  if (!STAMP.test(text) && !STAMP.test(text.slice(text.indexOf("\n") + 1))) return text;
  const lines = text.split("\n");
  const said = lines.filter((line) => line.trim() !== "");
  const plain = lines.map((line) => line.replace(STAMP, ""));
  const stamped = plain.filter((line, index) => line !== lines[index]).length;
  return stamped < Math.max(STAMPED_LINES, said.length * LEAST_STAMPED) ? text : plain.join("\n");
}

/** The path and number that a search prints before each line, and the number that a listing prints. */
export const FOUND_AT = /^((?:(?:[A-Za-z]:|\.{0,2})[\\/])?[\w@~+-][\w.\\/@~+-]*\.\w{1,8})[:-](\d{1,7})[:-]\s?/;
export const NUMBERED = /^\s*(\d{1,7})(?:\t|→|│| ?\||:\s)\s*/;

/** The name of a file above what a search found in it, and a line below it with its number. */
const HEADING = /^(?:File: |# )?((?:[A-Za-z]:)?[\w.\\/@~+-]*[\w@~+-]\.\w{1,8}):?$/;
const BELOW = /^\s*(?:Line |L)?(\d{1,7})[:-](?!\d)\s?/;

/** Puts its place before each line of a search that names a file once, as others print it: `src/a.ts:12:`. */
export function* withPlaces(lines: Iterable<string>): Generator<string> {
  let path = "";
  for (const line of lines) {
    const named = HEADING.exec(line)?.[1];
    const found = path === "" || named !== undefined ? null : BELOW.exec(line);
    if (named !== undefined) path = named;
    else if (found === null && !/^(?:--+|\s*)$/.test(line)) path = "";
    yield found === null ? (named ?? line) : `${path}:${found[1]}: ${line.slice(found[0].length)}`;
  }
}

/** A line without its place and its indentation. */
export const plainLine = (line: string): string => line.replace(FOUND_AT, "").replace(NUMBERED, "").trim();

/** What a command printed, taken out of the fields in which its harness returned it. */
export interface OutputFields {
  readonly text: string;
  /** Null if no field says. */
  readonly exitCode: number | null;
  /** Whether a field other than an exit code says that it failed; null if none says. */
  readonly failed: boolean | null;
  readonly isRunning: boolean;
}

/** Names of fields with all that was printed, in lower case without separators; the first that is there is taken. */
const PRINTED = ["aggregatedoutput", "combinedoutput", "output", "stdout", "codeoutput"];
/** Names of fields with complaints, which belong to what was printed. */
const COMPLAINTS = ["stderr", "error", "exception"];
const CODES = ["exitcode", "returncode", "exitstatus"];
/** Fields that hold all the others. */
const AROUND_ALL = ["result", "data", "response", "return", "structuredcontent"];
/** Fields that harnesses put beside an output. With any other name, the fields are what the command printed itself. */
const BESIDE = new Set([
  ...["success", "ok", "iserror", "status", "metadata", "command", "cmd", "cwd", "workdir", "directory", "duration"],
  ...["durationms", "durationseconds", "elapsed", "walltime", "timedout", "truncated", "interrupted", "signal", "pid"],
  ...["id", "sessionid", "type", "title", "description", "isimage", "message", "noutputexpected"],
]);
const OUTPUT = [...PRINTED, ...COMPLAINTS, ...CODES];
const KNOWN = new Set([...OUTPUT, ...BESIDE]);
const BAD = /^(?:error|failed|failure|timed?[ _-]?out|killed)$/i;
const GOOD = /^(?:ok|success|succeeded|successful|completed?|done|finished)$/i;
const RUNNING = /^(?:running|in[ _-]progress)$/i;

const MAX_DEPTH = 3;
/** The most of a text that is read as JSON, in UTF-16 code units, and how it begins. */
const LONGEST_JSON = 400_000;
const IS_JSON = /^\s*(?:\{\s*"|\[\s*\{\s*")/;
const IS_DICTIONARY = /^\s*(?:\{\s*'|\[\s*\{\s*')/;

/** Returns the fields that a text spells out, as JSON or as Python shows them; null for any other text. */
export function spelledFields(text: string): JsonValue | null {
  const isDictionary = IS_DICTIONARY.test(text);
  if (text.length > LONGEST_JSON || !(isDictionary || IS_JSON.test(text))) return null;
  try {
    return JSON.parse(isDictionary ? asJson(text) : text) as JsonValue;
  } catch {
    return null;
  }
}

/** Returns the value in a result, as JSON or spelled out in its text; null without one. */
export const valueIn = (content: ToolResultContent, text: string): JsonValue =>
  content.type === "json" ? content.value : spelledFields(text);

/**
 * The values of Python whose spelling differs from JSON: texts in either quotes, and three words. A text without an end
 * goes to the end of all, so that nothing is read twice.
 */
const PYTHON_VALUE = /'((?:[^'\\]|\\.)*)(?:'|\\?$)|"((?:[^"\\]|\\.)*)(?:"|\\?$)|\b(?:True|False|None)\b/gs;
const PYTHON_WORDS: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };

const asJson = (dictionary: string): string =>
  dictionary.replace(PYTHON_VALUE, (whole, single?: string, double?: string) => {
    const text = single ?? double;
    if (text === undefined) return PYTHON_WORDS[whole] as string;
    return `"${text
      .replace(/\\x/g, "\\u00")
      .replace(/\\'/g, "'")
      .replace(/(?<!\\)"/g, '\\"')}"`;
  });

/**
 * Returns what a command printed from the fields of its result; null for fields that are no output of a command.
 *
 * @param isCommand false for results of calls of which it is not known whether they run a command: these have an output
 *   only if there are no other fields than it and its metadata.
 */
export function outputFields(value: JsonValue, isCommand: boolean, depth = 0): OutputFields | null {
  const said = blocksText(value);
  if (said !== null) return isCommand ? { text: said, exitCode: null, failed: null, isRunning: false } : null;
  const fields = plainFields(value);
  const names = Object.keys(fields);
  const inner = names.filter((name) => !BESIDE.has(name));
  if (isCommand && inner.length === 1 && AROUND_ALL.includes(inner[0] as string) && depth < MAX_DEPTH)
    return outputFields(fields[inner[0] as string] ?? null, isCommand, depth + 1);
  if (!isCommand) return names.every(isPlain) && fields["output"] !== undefined ? printedIn(fields) : null;
  const isOutput = OUTPUT.some((name) => fields[name] !== undefined);
  const isReport = verdictOf(fields) !== null && fields["message"] !== undefined;
  return names.every((name) => KNOWN.has(name)) && (isOutput || isReport) ? printedIn(fields) : null;
}

const isPlain = (name: string): boolean => name === "output" || name === "metadata";

/** Returns whether fields say that a command failed; null if none says. */
function verdictOf({ status, success, ok = success, iserror: isError }: JsonObject): boolean | null {
  if (ok === false || isError === true || (typeof status === "string" && BAD.test(status))) return true;
  return ok === true || isError === false || (typeof status === "string" && GOOD.test(status)) ? false : null;
}

/** Checks for the fields in which harnesses return that a call failed. Data that a call returned has others, too. */
export function tellsOfFailure(value: JsonValue): boolean {
  const fields = plainFields(value);
  return Object.keys(fields).every((name) => KNOWN.has(name)) && verdictOf(fields) === true;
}

/** A status by which a service says that it did not do what it was asked. */
const NOT_DONE = /^(?:error|failed|failure|rejected|refused|denied|forbidden|conflict|invalid|timed?[ _-]?out)$/i;

/**
 * Checks whether the fields of a result say that a call of a service failed.
 *
 * @param isLook true for a call that only looked something up: what it shows may have failed itself.
 */
export function refusesCall(value: JsonValue, isLook: boolean): boolean {
  const { success, ok = success, iserror: isError, status } = plainFields(value);
  const [first, complaint] = Object.entries(plainFields(value))[0] ?? [];
  if (ok === false || isError === true || (/^errors?$/.test(first ?? "") && complaintIn(complaint) !== null))
    return true;
  return !isLook && typeof status === "string" && NOT_DONE.test(status);
}

/** Returns why a service refused a call, by the fields of its result; null if they do not say. */
export function complaintIn(value: JsonValue | undefined): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (Array.isArray(value)) return complaintIn(value[0]);
  const { error, errors, message, reason, detail, msg } = plainFields(value ?? null);
  for (const field of [error, errors, message, reason, detail, msg]) {
    const said = field === undefined ? null : complaintIn(field);
    if (said !== null) return said;
  }
  return null;
}

/** How results of services begin that could not do what they were asked. */
const COULD_NOT =
  /^\s*(?:#{1,4} (?:Result\n+)?Error\b|(?:[\w.-]{1,24} ){0,3}error(?: \d{1,5}(?: \(\w{1,10}\))?)?:|(?:request|query|command|execution|tool(?: call)?|operation|action) failed\b|(?:[A-Za-z_]\w{0,40}\.){0,6}\w{0,40}(?:Error|Exception|Interrupt)\b\s*:|[^\n]{0,40}\b[45]\d\d (?:forbidden|unauthorized|not found|bad request|internal server error)|(?:permission|access) denied\b|unauthorized\b)/i;
const LONGEST_COMPLAINT = 600;
const TRACE = "Traceback (most recent call last)";
const RAISED = /^(?:[A-Za-z_]\w{0,40}\.){0,6}\w{0,60}(?:Error|Exception|Interrupt|Exit)\b/;
const TRACE_END = 2_000;
const COLOURS = /\u001b\[[\d;]*m/g;

/** Checks by its words whether a call of a service failed, or the program that it ran. */
export function saysCouldNot(text: string): boolean {
  if (text.length <= LONGEST_COMPLAINT && COULD_NOT.test(text)) return true;
  if (!text.includes(TRACE)) return false;
  const last = text.slice(-TRACE_END).replace(COLOURS, "").trimEnd().split("\n").at(-1) ?? "";
  return RAISED.test(last);
}

/** Names of fields that say what came of a call. */
const TELLS =
  /^id$|(?:^|_)(?:status|state|result|message|reason|confirmation|number|code|url|link)$|^(?!user|account|owner).{1,40}_id$/i;
const MAX_RESULT = 160;
const MOST_TOLD = 4;
const MAX_TOLD = 80;

/** Returns the fields of a result that say what came of a call, without those that its arguments say; null without any. */
export function toldFields(value: JsonValue, input: JsonValue): JsonValue | null {
  if (typeof value !== "object" || value === null) return null;
  const given = new Set<JsonValue | undefined>(
    Object.values(toolArguments(input)).filter((field) => typeof field !== "boolean"),
  );
  const isWhole = Array.isArray(value) || !Object.values(value).some((field) => given.has(field));
  if (isWhole && isWithin(value, MAX_RESULT)) return value;
  const told = Object.entries(toolArguments(value)).filter(
    ([name, field]) => isTold(field) && !given.has(field) && (TELLS.test(name) || typeof field === "number"),
  );
  return told.length === 0 ? null : (Object.fromEntries(told.slice(0, MOST_TOLD)) as JsonObject);
}

const isTold = (field: JsonValue | undefined): boolean =>
  typeof field === "number" || (typeof field === "string" && field !== "" && field.length <= MAX_TOLD);

/** Checks whether a value takes at most so many characters, without spelling out a long one. */
const isWithin = (value: JsonValue, most: number): boolean =>
  Object.keys(value as object).length <= most && JSON.stringify(value).length <= most;

function printedIn(fields: JsonObject): OutputFields | null {
  const printed = [...PRINTED, "message"].map((name) => fields[name]).find((value) => value !== undefined) ?? "";
  if (typeof printed !== "string") return null;
  const complaints = COMPLAINTS.map((name) => fields[name]).filter(
    (value): value is string => typeof value === "string" && value.trim() !== "" && !printed.includes(value),
  );
  const inside = plainFields(fields["metadata"] ?? null);
  const exitCode = CODES.map((name) => fields[name] ?? inside[name]).find((code) => typeof code === "number");
  const { status, error } = fields;
  return {
    text: [printed, ...complaints].filter((text) => text !== "").join("\n"),
    exitCode: typeof exitCode === "number" ? exitCode : null,
    // An error in the place of an output means that there was none.
    failed: verdictOf(fields) ?? (printed === "" && typeof error === "string" && error !== "" ? true : null),
    isRunning: typeof status === "string" && RUNNING.test(status),
  };
}

/** The text of a list of text blocks, as MCP servers return it; null for anything else. */
function blocksText(value: JsonValue): string | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const texts = value.map((block: JsonValue) => {
    const { type, text } = toolArguments(block);
    return type === "text" && typeof text === "string" ? text : null;
  });
  return texts.includes(null) ? null : texts.join("\n");
}

/** Returns fields by their names in lower case without separators; none when the value is not an object. */
const plainFields = (value: JsonValue): JsonObject =>
  Object.fromEntries(Object.entries(toolArguments(value)).map(([name, field]) => [plainToolName(name), field]));
