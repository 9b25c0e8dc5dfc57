import { type ForeignObject, listOf, objectOf, textOf } from "./foreign-value.ts";
import type { SourcePointer, SourceRecord, SourceRecords } from "./source-records.ts";
import { documentThreads, type SourceThread } from "./source-threads.ts";

/** A list of chat messages found in a request body or a trajectory. */
interface FoundConversation {
  readonly messages: readonly unknown[];
  /** The object around the messages: model, system text, tools. Empty when there is none. */
  readonly frame: ForeignObject;
  pointerTo(index: number): SourcePointer;
}

const NO_FRAME: ForeignObject = Object.freeze({});

/** Minimum share of lines that must be messages for the lines to count as a conversation. */
const MESSAGE_SHARE = 0.8;

/**
 * Finds the conversation in a source: an object with a list of messages, such a list alone, or one message per line. In
 * a source with one conversation per line, it is the first. The content of the messages tells which API they were
 * written for.
 */
export function findConversation({ records }: SourceRecords): FoundConversation | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  if (records.length === 1) return inRecord(first) ?? inLines(records);
  return inLines(records) ?? (records.every(({ value }) => holdsConversation(value)) ? inRecord(first) : undefined);
}

/** Returns the conversations of a source that has one per line. */
export const conversationThreads = (source: SourceRecords): readonly SourceThread[] =>
  documentThreads(source, holdsConversation);

const holdsConversation = (value: unknown): boolean => messagesIn(value) !== undefined;

function inRecord({ line, value }: SourceRecord): FoundConversation | undefined {
  const found = messagesIn(value);
  if (found === undefined) return undefined;
  const { messages, frame, path } = found;
  return { messages, frame, pointerTo: (index) => ({ line, path: `${path}/${index}` }) };
}

/** The properties of an object that may contain the messages, in order of preference. */
const MESSAGE_LISTS = ["messages", "traj"] as const;

function messagesIn(
  value: unknown,
): { readonly messages: readonly unknown[]; readonly frame: ForeignObject; readonly path: string } | undefined {
  const bare = listOf(value);
  if (bare?.some(isMessage)) return { messages: bare, frame: NO_FRAME, path: "" };
  const frame = objectOf(value);
  if (frame === undefined || isMessage(frame)) return undefined;
  for (const key of MESSAGE_LISTS) {
    const messages = listOf(frame[key]);
    if (messages?.some(isMessage) || messages?.length === 0) return { messages, frame, path: `/${key}` };
  }
  return undefined;
}

function inLines(records: readonly SourceRecord[]): FoundConversation | undefined {
  const count = records.filter(({ value }) => isMessage(value)).length;
  if (count === 0 || count < records.length * MESSAGE_SHARE) return undefined;
  return {
    messages: records.map(({ value }) => value),
    frame: NO_FRAME,
    pointerTo: (index) => ({ line: records[index]?.line ?? 0 }),
  };
}

function isMessage(value: unknown): boolean {
  const message = objectOf(value);
  return textOf(message?.role) !== undefined && (message?.content !== undefined || message?.tool_calls !== undefined);
}

/** Checks whether a value is a message that a model wrote. */
export const isAssistantMessage = (value: unknown): boolean => objectOf(value)?.role === "assistant";

/** Traits of a conversation's messages that reveal the API that they were written for. */
interface MessageTraits {
  readonly roles: ReadonlySet<string>;
  /** Types of content blocks. */
  readonly blockTypes: ReadonlySet<string>;
  /** True when a message has a field that only OpenAI Chat messages have. */
  readonly hasToolCallField: boolean;
  /** True when a message has a stop reason, as responses of the Anthropic API do. */
  readonly hasStopReason: boolean;
  /** True when a message is an unchanged response of that API. */
  readonly isResponse: boolean;
}

/** How many messages from the start are examined: a conversation reveals its form early. */
const SAMPLE = 200;

export function messageTraits({ messages }: FoundConversation): MessageTraits {
  const roles = new Set<string>();
  const blockTypes = new Set<string>();
  let hasToolCallField = false;
  let hasStopReason = false;
  let isResponse = false;
  for (const value of messages.slice(0, SAMPLE)) {
    const message = objectOf(value);
    const role = textOf(message?.role);
    if (message === undefined || role === undefined) continue;
    roles.add(role);
    if (message.tool_calls != null || message.tool_call_id !== undefined || message.function_call != null)
      hasToolCallField = true;
    if (message.stop_reason !== undefined) hasStopReason = true;
    if (message.type === "message" && message.stop_reason !== undefined) isResponse = true;
    for (const block of listOf(message.content) ?? []) blockTypes.add(textOf(objectOf(block)?.type) ?? "");
  }
  return { roles, blockTypes, hasToolCallField, hasStopReason, isResponse };
}
