import type {
  ChatMessage,
  Message,
  MessageId,
  PlanRecord,
  Role,
  SyntheticKind,
  TokenBreakdown,
  ToolCallPart,
} from "@threadfold/core";
import { derivation } from "../input/derivation.ts";
import type { RenderedAction } from "../input/render-manifest.ts";

/** Checks for text that providers reject as a block of its own. */
export const isBlank = (text: string): boolean => text.trim() === "";

/** A message being prepared for a request: what will be sent, and where it comes from. */
export interface Draft {
  readonly chat: ChatMessage;
  readonly action: RenderedAction;
  /** The share of the breakdown to which its tokens are counted. */
  readonly share: keyof TokenBreakdown;
  /** The record that folded it; null when no record did. */
  readonly record: PlanRecord | null;
  /** The message of the thread that it shows, whole or cleared; null when rendering made it. */
  readonly message: Message | null;
  /** Position in the thread: ordinal of the first message that it represents. */
  readonly ordinal: number;
}

/** Replaces the content of a draft. */
export function withParts(draft: Draft, parts: ChatMessage["parts"]): Draft {
  return { ...draft, chat: { ...draft.chat, parts } };
}

/** Returns the ids of the calls that a draft makes, in order. */
export function callsOf({ chat }: Draft): readonly string[] {
  if (chat.role !== "assistant") return [];
  const calls: string[] = [];
  for (const part of chat.parts) if (part.type === "tool-call") calls.push(part.callId);
  return calls;
}

/** Returns the first call with an id that a message makes; undefined when it makes none. */
export const callIn = (message: ChatMessage | undefined, callId: string): ToolCallPart | undefined =>
  message && callsById(message, null).get(callId);

/** A message may make thousands of calls, and each result asks for its own. */
const callsById = derivation(({ parts }: ChatMessage, _key: null): ReadonlyMap<string, ToolCallPart> => {
  const calls = new Map<string, ToolCallPart>();
  for (const part of parts) if (part.type === "tool-call" && !calls.has(part.callId)) calls.set(part.callId, part);
  return calls;
});

/** Returns the id of the call that a draft answers; undefined when it is not a result. */
export function answersOf({ chat }: Draft): string | undefined {
  const part = chat.role === "tool" ? chat.parts[0] : undefined;
  return part?.type === "tool-result" ? part.result.callId : undefined;
}

/** Everything about a message that rendering makes, except its text. */
export interface MadeMessage {
  readonly role: Role;
  readonly synthetic: SyntheticKind;
  readonly action: RenderedAction;
  readonly share: keyof TokenBreakdown;
  readonly ordinal: number;
  readonly sources?: readonly MessageId[];
  readonly record?: PlanRecord;
}

const NO_SOURCES: readonly MessageId[] = Object.freeze([]);

/** Makes a draft with one text that is in no message of the thread. */
export function madeDraft(text: string, made: MadeMessage): Draft {
  const { role, synthetic, action, share, ordinal, sources = NO_SOURCES, record = null } = made;
  const chat = { role, parts: [{ type: "text", text }], sources, synthetic } as const;
  return { chat, action, share, record, message: null, ordinal };
}

/**
 * Like {@link madeDraft}, for texts determined by a source and a key: the part is made, and later counted, only once.
 */
export function derivedDraft<Source extends object, Key>(
  textOf: (source: Source, key: Key) => string,
): (source: Source, key: Key, made: MadeMessage) => Draft {
  const partOf = derivation((source: Source, key: Key) =>
    Object.freeze([{ type: "text", text: textOf(source, key) } as const]),
  );
  return (source, key, made) => {
    const { role, synthetic, action, share, ordinal, sources = NO_SOURCES, record = null } = made;
    return {
      chat: { role, parts: partOf(source, key), sources, synthetic },
      action,
      share,
      record,
      message: null,
      ordinal,
    };
  };
}

/**
 * Checks for a call of one of OpenAI's custom tools: its input is free text, not JSON. Importers keep the item's type,
 * or the field that a chat message has instead.
 */
export function isFreeTextCall({ providerMetadata }: ToolCallPart): boolean {
  const metadata = providerMetadata?.["openai"];
  return metadata !== undefined && (metadata["type"] === "custom_tool_call" || Object.hasOwn(metadata, "custom"));
}
