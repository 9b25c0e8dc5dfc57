import type { SourcePointer } from "../source-pointer.ts";
import { documentThreads } from "./document-threads.ts";
import { type ForeignObject, listOf, objectOf, textOf } from "./foreign-value.ts";
import type { SourceRecord, SourceRecords } from "./source-records.ts";
import type { SourceThread } from "./source-thread.ts";

/** A list of chat messages as request bodies and trajectories hold it. */
export interface FoundConversation {
  readonly messages: readonly unknown[];
  /** The object around the messages: model, system text, tools. Empty when the messages stand alone. */
  readonly frame: ForeignObject;
  pointerTo(index: number): SourcePointer;
}

/** The properties of an object that may hold the messages, in order of preference. */
const MESSAGE_LISTS = ["messages", "traj"] as const;

const NO_FRAME: ForeignObject = Object.freeze({});

/** At least this share of the lines must be messages for the lines to be a conversation. */
const MESSAGE_SHARE = 0.8;

/**
 * Finds the conversation in a source: an object with a list of messages, such a list alone, or one message a line. Of
 * a source with one conversation a line it is the first. Whose messages they are, their content tells.
 */
export function findConversation({ records }: SourceRecords): FoundConversation | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  if (records.length === 1) return inRecord(first) ?? inLines(records);
  return inLines(records) ?? (records.every(({ value }) => holdsConversation(value)) ? inRecord(first) : undefined);
}

/** The conversations of a source that has one a line. */
export const conversationThreads = (source: SourceRecords): readonly SourceThread[] =>
  documentThreads(source, holdsConversation);

const holdsConversation = (value: unknown): boolean => messagesIn(value) !== undefined;

function inRecord({ line, value }: SourceRecord): FoundConversation | undefined {
  const found = messagesIn(value);
  if (found === undefined) return undefined;
  const { messages, frame, path } = found;
  return { messages, frame, pointerTo: (index) => ({ line, path: `${path}/${index}` }) };
}

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
