import { findContents, isModelContent } from "../gemini/gemini-messages.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";

/** The branch of messages that the user undid by going back to an earlier one. */
export const REWOUND = "rewound";

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

/** Checks whether a source is a chat that the user saved (`/chat save`), or one as Gemini's API is asked. */
export const isSavedChat = ({ records: [first, ...more] }: SourceRecords): boolean =>
  more.length === 0 && !isGeminiCliDocument(first?.value) && findContents(first?.value) !== undefined;

/** Reads any kind of log of Gemini CLI. Records that are not messages are noted in the draft. */
export function readGeminiCliLog(source: SourceRecords, draft: SessionDraft): GeminiCliLog {
  const { records } = source;
  const [first] = records;
  if (first !== undefined && records.length === 1 && isGeminiCliDocument(first.value))
    return readDocument(objectOf(first.value) ?? {}, first.line, draft);
  if (isSavedChat(source)) return readSavedChat(source, draft);
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

/** How many contents may precede the summary of a chat that was compressed: the context that it begins with. */
const OPENING = 3;

/** Reads contents as messages. One of the first is the summary, if the chat was compressed before it was saved. */
function readSavedChat({ source, records: [first] }: SourceRecords, draft: SessionDraft): GeminiCliLog {
  const { contents = [], frame = {}, path = "" } = findContents(first?.value) ?? {};
  const seed = seedOf(openingOf(source, frame, contents, isModelContent));
  const summary = contents.slice(0, OPENING).findIndex((value) => {
    const { role, parts } = objectOf(value) ?? {};
    return role === "user" && wordsOf(parts).includes(SNAPSHOT);
  });
  const messages = contents.flatMap((value, index): readonly GeminiCliMessage[] => {
    const content = objectOf(value);
    const at = { line: first?.line ?? 0, path: `${path}/${index}` };
    if (content?.role === "user" || content?.role === "model") {
      const type = content.role === "model" ? "gemini" : "user";
      const message = { type, id: `${seed}-${index}`, content: content.parts };
      return [{ message, at, lines: [], ...(index === summary && { compression: { firstKeptId: undefined } }) }];
    }
    draft.reportMalformed(at, "it is not a content with a known role");
    return [];
  });
  return { frame, messages, records: contents.length };
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
export const SNAPSHOT = "<state_snapshot>";

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

/** The words of a message, whose content is a text or a list of parts. */
export const wordsOf = (content: unknown): string =>
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
