import { messageInputSchema, type SystemEntry, systemEntrySchema, toolDefinitionSchema } from "@threadfold/core";
import { isAssistantMessage } from "../reading/find-conversation.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import { readTools } from "../session/shared-readers.ts";

/** How many messages from the start are examined: a conversation reveals its form early. */
const SAMPLE = 200;

/**
 * Messages in the form of this library: `MessageInput[]` or `Message[]` as a program stored them, one of them per line,
 * or a request in the neutral format (`ChatRequest`). Of a folded request, what rendering made stands among them.
 */
export const ownMessagesImporter: SessionImporter = {
  format: "threadfold",
  detect: (source) =>
    messagesIn(source)
      ?.messages.slice(0, SAMPLE)
      .some(({ value }) => isUnmistakable(value))
      ? 1
      : 0,
  import(source, draft) {
    const found = messagesIn(source);
    if (found === undefined) return { records: 0, system: [], tools: [] };
    const { messages, frame } = found;
    const values = messages.map(({ value }) => value);
    const opening = openingOf(source.source, frame, values, isAssistantMessage);
    for (const [index, { value, at }] of messages.entries())
      addMessage(value, `${seedOf(opening)}-${index}`, at, draft);
    const model = newestModel(draft.messages);
    return {
      opening,
      records: messages.length,
      system: (listOf(frame.system) ?? []).filter(isSystemEntry),
      tools: readTools(frame.tools, draft, (tool) => toolDefinitionSchema.safeParse(tool).data),
      ...(model !== undefined && { model }),
    };
  },
};

interface PlacedMessages {
  readonly messages: readonly { readonly value: unknown; readonly at: SourcePointer }[];
  /** The object around the messages. Empty when there is none. */
  readonly frame: ForeignObject;
}

function messagesIn({ records }: SourceRecords): PlacedMessages | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  const frame = objectOf(first.value);
  if (records.length > 1 || frame?.role !== undefined)
    return { messages: records.map(({ value, line }) => ({ value, at: { line } })), frame: {} };
  const [values, path] = [listOf(frame?.messages), listOf(first.value) === undefined ? "/messages" : ""];
  const list = listOf(first.value) ?? values;
  if (list === undefined) return undefined;
  const at = (index: number): SourcePointer => ({ line: first.line, path: `${path}/${index}` });
  return { messages: list.map((value, index) => ({ value, at: at(index) })), frame: frame ?? {} };
}

/** Checks for a call or a result in our own form: texts alone fit other APIs just as well. */
function isUnmistakable(value: unknown): boolean {
  return (listOf(objectOf(value)?.parts) ?? []).some((part) => {
    const { type, callId, toolName, result } = objectOf(part) ?? {};
    if (type === "tool-call") return textOf(callId) !== undefined && textOf(toolName) !== undefined;
    return type === "tool-result" && textOf(objectOf(result)?.callId) !== undefined;
  });
}

const isSystemEntry = (value: unknown): value is SystemEntry => systemEntrySchema.safeParse(value).success;

const NO_TIME = new Date(0).toISOString();

function addMessage(value: unknown, standIn: string, at: SourcePointer, draft: SessionDraft): void {
  const fields = objectOf(value);
  const id = nonEmptyText(fields?.id) ?? standIn;
  const checked = messageInputSchema.safeParse({ createdAt: NO_TIME, ...fields, id });
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return draft.reportMalformed(at, `it is no message: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { createdAt: _createdAt, metadata, ...message } = checked.data;
  for (const part of message.parts)
    if (part.type === "tool-call") draft.calls.open(part.callId, part.toolName, part.callId);
  draft.add({ ...message, id, time: fields?.createdAt, source: at, ...(metadata && { notes: metadata }) });
}
