import { countOf, type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { shortId } from "../session/session-ids.ts";

/** The branch of messages that the user undid by going back to an earlier one. */
const REWOUND = "rewound";

/** The latest version of a Gemini CLI message, and every line that contributed to it. */
export interface GeminiCliMessage {
  readonly message: ForeignObject;
  readonly at: SourcePointer;
  readonly lines: readonly number[];
  readonly branch?: string | undefined;
  /** What a compression put this message in place of. */
  readonly compression?: GeminiCliCompression | undefined;
}

/** A compression: what followed its summary of what the model had been told before. */
interface GeminiCliCompression {
  readonly firstKeptId: string | undefined;
  readonly tokensBefore?: number | undefined;
}

/** The contents of a Gemini CLI log. */
export interface GeminiCliLog {
  /** The data around the messages: ids and times of the session. */
  readonly frame: ForeignObject;
  readonly messages: readonly GeminiCliMessage[];
  readonly records: number;
}

/** Checks whether a value is a whole session in one document, as Gemini CLI wrote it until the end of 2025. */
export function isGeminiCliDocument(value: unknown): boolean {
  const document = objectOf(value);
  const messages = listOf(document?.messages);
  if (document === undefined || messages === undefined || textOf(document.sessionId) === undefined) return false;
  return textOf(document.projectHash) !== undefined || messages.some(isGeminiAnswer);
}

/** Checks whether a value is the first line of a log of later versions. */
export function isGeminiCliHeader(value: unknown): boolean {
  const header = objectOf(value);
  return textOf(header?.sessionId) !== undefined && textOf(header?.projectHash) !== undefined;
}

/** Checks whether a value is a message that the model wrote. */
export function isGeminiAnswer(value: unknown): boolean {
  const message = objectOf(value);
  return message?.type === "gemini" && nonEmptyText(message.id) !== undefined;
}

/** Reads either kind of log. Records that are not messages are noted in the draft. */
export function readGeminiCliLog({ records }: SourceRecords, draft: SessionDraft): GeminiCliLog {
  const [first] = records;
  if (first !== undefined && records.length === 1 && isGeminiCliDocument(first.value))
    return readDocument(objectOf(first.value) ?? {}, first.line, draft);
  if (records.some(({ value }) => isQwenRecord(value))) return readQwen(records, draft);
  return readLines(records, draft);
}

function readDocument(frame: ForeignObject, line: number, draft: SessionDraft): GeminiCliLog {
  const entries = listOf(frame.messages) ?? [];
  const messages = entries.flatMap((entry, index): readonly GeminiCliMessage[] => {
    const message = objectOf(entry);
    const at = { line, path: `/messages/${index}` };
    if (message !== undefined) return [{ message, at, lines: [] }];
    draft.reportMalformed(at, "it is not a message");
    return [];
  });
  return { frame, messages, records: entries.length };
}

/** A message as it grows: each line with its id replaces the previous one. */
interface Growing {
  message: ForeignObject;
  readonly lines: number[];
  branch?: string;
  readonly compression?: GeminiCliCompression;
}

function readLines(records: SourceRecords["records"], draft: SessionDraft): GeminiCliLog {
  let frame: ForeignObject = {};
  const all: Growing[] = [];
  const current = new Map<string, Growing>();
  const add = (id: string, growing: Growing): void => {
    current.set(id, growing);
    all.push(growing);
  };
  for (const { value, line } of records) {
    const record = objectOf(value);
    const id = nonEmptyText(record?.id);
    const rewoundTo = textOf(record?.$rewindTo);
    if (record === undefined) draft.reportMalformed({ line }, "it is not an object");
    else if (rewoundTo !== undefined) {
      draft.skip("rewind", line);
      rewind(current, rewoundTo);
    } else if (id !== undefined) {
      const known = current.get(id);
      if (known === undefined) add(id, { message: record, lines: [line] });
      else {
        known.message = record;
        known.lines.push(line);
      }
    } else if (isGeminiCliHeader(record)) {
      draft.skip("session", line);
      frame = { ...record, ...frame };
    } else if (objectOf(record.$set) !== undefined) {
      const summary = summaryIn(record.$set, current);
      if (summary === undefined) draft.skip(kindOfUpdate(record.$set), line);
      else add(summary.id, { ...summary, lines: [line] });
    } else draft.reportMalformed({ line }, "it is neither a message nor a record of the session");
  }
  const messages = all.map((growing) => ({ ...growing, at: { line: growing.lines[0] ?? 0 } }));
  return { frame, messages, records: records.length };
}

/**
 * A list of messages in an update is the history as Gemini CLI continues with it, masked or compressed, not what was
 * said.
 */
const kindOfUpdate = (update: unknown): string =>
  listOf(objectOf(update)?.messages) === undefined ? "update" : "rewritten history";

/** How a summary begins, perhaps after other words. */
const SNAPSHOT = "<state_snapshot>";

/** The summary in a history that Gemini CLI compressed, unless the log already has it. */
function summaryIn(update: unknown, known: ReadonlyMap<string, Growing>) {
  const messages = (listOf(objectOf(update)?.messages) ?? []).map(objectOf);
  const place = messages.findIndex(
    (message) => message?.type === "user" && wordsOf(message.content).includes(SNAPSHOT),
  );
  const [message, id] = [messages[place], nonEmptyText(messages[place]?.id)];
  if (message === undefined || id === undefined || known.has(id)) return undefined;
  const kept = messages.slice(place + 1).find((each) => known.has(textOf(each?.id) ?? ""));
  return { id, message, compression: { firstKeptId: textOf(kept?.id) } };
}

const wordsOf = (content: unknown): string =>
  textOf(content) ?? (listOf(content) ?? []).map((part) => textOf(objectOf(part)?.text) ?? "").join("\n");

/**
 * Undoes a message and all that follow it; all messages if the log has no such message, as Gemini CLI does. A summary
 * stays when the message was kept beside it.
 */
function rewind(current: Map<string, Growing>, id: string): void {
  const isKnown = current.has(id);
  let isReached = !isKnown;
  for (const [each, growing] of current) {
    isReached ||= each === id;
    if (!isReached || (isKnown && each !== id && growing.compression !== undefined)) continue;
    growing.branch = REWOUND;
    current.delete(each);
  }
}

/**
 * Checks whether a value is a record of Qwen Code, which grew out of Gemini CLI: a turn as Gemini's API has it, in a tree.
 * Its fields are defined in `packages/core/src/services/chatRecordingService.ts` of https://github.com/QwenLM/qwen-code.
 */
export function isQwenRecord(value: unknown): boolean {
  const record = objectOf(value);
  if (textOf(record?.uuid) === undefined || textOf(record?.sessionId) === undefined) return false;
  return listOf(objectOf(record?.message)?.parts) !== undefined || objectOf(record?.systemPayload) !== undefined;
}

/** A record of Qwen Code. One id on several lines is one message, whose parts they add. */
interface QwenRecord {
  readonly id: string;
  readonly lines: number[];
  readonly type: string;
  readonly fields: ForeignObject;
  message: ForeignObject | undefined;
  readonly parent: string | undefined;
}

function readQwen(records: SourceRecords["records"], draft: SessionDraft): GeminiCliLog {
  const byId = new Map<string, QwenRecord>();
  for (const { value, line } of records) {
    const fields = objectOf(value);
    const [id, type] = [nonEmptyText(fields?.uuid), textOf(fields?.type)];
    if (fields === undefined || id === undefined || type === undefined) {
      draft.reportMalformed({ line }, "it is not a record of Qwen Code");
      continue;
    }
    const [known, message] = [byId.get(id), objectOf(fields.message)];
    if (known === undefined)
      byId.set(id, { id, lines: [line], type, fields, message, parent: nonEmptyText(fields.parentUuid) });
    else if (known.type === type && message !== undefined && keyOf(message) !== keyOf(known.message)) {
      known.lines.push(line);
      const parts = [known.message, message].flatMap((each) => listOf(each?.parts) ?? []);
      known.message = { ...known.message, parts };
    } else {
      draft.skip("duplicate", line);
      draft.warnings.push({ kind: "duplicate-record", at: { line }, id: id.toWellFormed() });
    }
  }
  const branches = qwenBranches(byId);
  const turns = new Map<string, string>();
  const messages = [...byId.values()].flatMap((record): readonly GeminiCliMessage[] => {
    const { id, lines, type, fields } = record;
    const at = { line: lines[0] ?? 0 };
    const read = qwenMessage(record, turns);
    if (read === undefined) {
      if (type === "system") draft.skip(`system/${textOf(fields.subtype) ?? "other"}`, at);
      else draft.skipUnknown(type, at);
      return [];
    }
    const key = read.compression === undefined ? keyOf(record.message) : "";
    if (key !== "") turns.set(key, id);
    return [
      { ...read, message: { ...read.message, id, timestamp: fields.timestamp }, at, lines, branch: branches.get(id) },
    ];
  });
  const [first] = byId.values();
  const frame = { sessionId: first?.fields.sessionId, startTime: first?.fields.timestamp };
  return { frame, messages, records: records.length };
}

/** The branches of records off the path to the newest one, and of sub-agents beside a session. */
function qwenBranches(byId: ReadonlyMap<string, QwenRecord>): ReadonlyMap<string, string> {
  const all = [...byId.values()];
  const isBeside = ({ fields }: QwenRecord) => fields.isSidechain === true;
  const main = all.every(isBeside) ? all : all.filter((record) => !isBeside(record));
  const path = new Set<QwenRecord>();
  let last = main.at(-1);
  let start = last;
  while (last !== undefined && !path.has(last)) {
    path.add(last);
    start = last;
    last = byId.get(last.parent ?? "");
  }
  // Where the record before the path is lost, records without a place on it are of the time before.
  const isWhole = start?.parent === undefined;
  const left = new Set<QwenRecord>();
  for (const record of main) {
    const parent = byId.get(record.parent ?? "");
    const isLeft = parent === undefined ? isWhole : path.has(parent) || left.has(parent);
    if (!path.has(record) && isLeft) left.add(record);
  }
  const branches = new Map([...left].map(({ id }) => [id, REWOUND]));
  if (main !== all)
    for (const { id, fields } of all.filter(isBeside))
      branches.set(id, `sidechain/${shortId(nonEmptyText(fields.agentId) ?? "agent")}`);
  return branches;
}

/** Origins of user turns that no person wrote. What a person scheduled is theirs. */
const BY_PROGRAM: ReadonlySet<unknown> = new Set(["goal_control", "goal_runtime", "system"]);

/** Converts a record to a message of Gemini CLI; undefined when it has nothing for the model. */
function qwenMessage(
  { type, fields, message }: QwenRecord,
  turns: ReadonlyMap<string, string>,
): Pick<GeminiCliMessage, "message" | "compression"> | undefined {
  const content = message?.parts;
  if (type === "system" && fields.subtype === "chat_compression")
    return qwenSummary(objectOf(fields.systemPayload), turns);
  if (content === undefined || fields.subtype === "realtime_message") return undefined;
  if (type === "assistant")
    return {
      message: { type: "gemini", content, model: fields.model, tokens: qwenTokens(objectOf(fields.usageMetadata)) },
    };
  if (type === "tool_result")
    return { message: { type: "user", content, status: objectOf(fields.toolCallResult)?.status } };
  if (type !== "user") return undefined;
  const isByProgram = BY_PROGRAM.has(fields.provenance) && fields.subtype !== "cron";
  return { message: { type: "user", content, isByProgram: isByProgram || fields.subtype === "notification" } };
}

/** The first turn of a compressed history that speaks of what was before; turns follow that stayed as they were. */
function qwenSummary(payload: ForeignObject | undefined, turns: ReadonlyMap<string, string>) {
  const history = (listOf(payload?.compressedHistory) ?? []).map(objectOf);
  const isOwn = (turn: ForeignObject | undefined) => turn?.role === "user" && !turns.has(keyOf(turn));
  const marked = history.findIndex((turn) => isOwn(turn) && wordsOf(turn?.parts).includes(SNAPSHOT));
  const place = marked === -1 ? history.findIndex((turn) => isOwn(turn) && wordsOf(turn?.parts) !== "") : marked;
  const summary = history[place];
  if (summary === undefined) return undefined;
  const kept = history.slice(place + 1).find((turn) => turns.has(keyOf(turn)));
  const tokensBefore = countOf(objectOf(payload?.info)?.originalTokenCount);
  return {
    message: { type: "user", content: summary.parts },
    compression: { firstKeptId: turns.get(keyOf(kept)), tokensBefore },
  };
}

/** What tells a turn from others. */
function keyOf(turn: unknown): string {
  try {
    return JSON.stringify(turn) ?? "";
  } catch {
    // The nesting is too deep to serialize.
    return "";
  }
}

/** Usage in the terms of Gemini CLI. Output that other providers report includes thoughts, so the total decides. */
function qwenTokens(usage: ForeignObject | undefined): ForeignObject | undefined {
  const [input, output] = [countOf(usage?.promptTokenCount), countOf(usage?.candidatesTokenCount)];
  if (usage === undefined || input === undefined) return undefined;
  const [thoughts, total] = [countOf(usage.thoughtsTokenCount) ?? 0, countOf(usage.totalTokenCount)];
  const includes = output !== undefined && total === input + output && thoughts <= output;
  return { input, output: includes ? output - thoughts : output, cached: usage.cachedContentTokenCount, thoughts };
}
