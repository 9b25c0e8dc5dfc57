import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";

/** The latest version of a Gemini CLI message, and every line that contributed to it. */
export interface GeminiCliMessage {
  readonly message: ForeignObject;
  readonly at: SourcePointer;
  readonly lines: readonly number[];
  /** True when the user went back to a point before it. */
  readonly isRewound: boolean;
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
  return readLines(records, draft);
}

function readDocument(frame: ForeignObject, line: number, draft: SessionDraft): GeminiCliLog {
  const entries = listOf(frame.messages) ?? [];
  const messages = entries.flatMap((entry, index): readonly GeminiCliMessage[] => {
    const message = objectOf(entry);
    const at = { line, path: `/messages/${index}` };
    if (message !== undefined) return [{ message, at, lines: [], isRewound: false }];
    draft.reportMalformed(at, "it is not a message");
    return [];
  });
  return { frame, messages, records: entries.length };
}

/** A message as it grows: each line with its id replaces the previous one. */
interface Growing {
  message: ForeignObject;
  readonly lines: number[];
  isRewound: boolean;
}

function readLines(records: SourceRecords["records"], draft: SessionDraft): GeminiCliLog {
  let frame: ForeignObject = {};
  const all: Growing[] = [];
  const current = new Map<string, Growing>();
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
      if (known === undefined) {
        const growing = { message: record, lines: [line], isRewound: false };
        current.set(id, growing);
        all.push(growing);
      } else {
        known.message = record;
        known.lines.push(line);
      }
    } else if (isGeminiCliHeader(record)) {
      draft.skip("session", line);
      frame = { ...record, ...frame };
    } else if (objectOf(record.$set) !== undefined) draft.skip(kindOfUpdate(record.$set), line);
    else draft.reportMalformed({ line }, "it is neither a message nor a record of the session");
  }
  const messages = all.map(({ message, lines, isRewound }) => ({
    message,
    at: { line: lines[0] ?? 0 },
    lines,
    isRewound,
  }));
  return { frame, messages, records: records.length };
}

/**
 * A list of messages in an update is the history as Gemini CLI continues with it, masked or compressed, not what was
 * said.
 */
const kindOfUpdate = (update: unknown): string =>
  listOf(objectOf(update)?.messages) === undefined ? "update" : "rewritten history";

/** Undoes a message and all that follow it; all messages if the log has no such message, as Gemini CLI does. */
function rewind(current: Map<string, Growing>, id: string): void {
  let isReached = !current.has(id);
  for (const [each, growing] of current) {
    isReached ||= each === id;
    if (!isReached) continue;
    growing.isRewound = true;
    current.delete(each);
  }
}
