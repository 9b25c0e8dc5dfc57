import {
  asMessageId,
  asPinId,
  asToolCallId,
  type JsonObject,
  type JsonValue,
  type MessageId,
  type MessageInput,
  type Part,
  type Pin,
  type PinLiftedEntry,
  type ThreadEntryInput,
  type ToolResultContent,
  visibleText,
} from "@threadfold/core";
import type { ConversationMask, TextMask } from "./conversation-mask.ts";

/**
 * Masks the entries of a thread, oldest first, so that later entries never change a number that was already assigned.
 */
export function maskEntries(entries: readonly ThreadEntryInput[], mask: ConversationMask): readonly ThreadEntryInput[] {
  const messages = new Map<MessageId, { readonly before: MessageInput; readonly after: MessageInput }>();
  return entries.map((entry): ThreadEntryInput => {
    switch (entry.type) {
      case "message": {
        const after = maskMessage(entry.message, mask);
        messages.set(entry.message.id, { before: entry.message, after });
        return { type: "message", message: after };
      }
      case "pin":
        return { type: "pin", pin: maskPin(entry.pin, messages, mask) };
      case "pin-lifted":
        return maskLifting(entry, messages, mask);
    }
  });
}

function maskMessage(message: MessageInput, mask: ConversationMask): MessageInput {
  return {
    ...message,
    id: asMessageId(mask.id("message", message.id)),
    createdAt: mask.time(message.createdAt),
    parts: message.parts.map((part) => maskPart(part, mask)),
  };
}

type MaskedMessages = ReadonlyMap<MessageId, { readonly before: MessageInput; readonly after: MessageInput }>;

function maskLifting({ source, ...entry }: PinLiftedEntry, messages: MaskedMessages, mask: ConversationMask) {
  const masked = { ...entry, pinId: asPinId(mask.id("pin", entry.pinId)), reason: mask.text(entry.reason) };
  const quoted = source === undefined ? undefined : messages.get(source.messageId);
  return source === undefined || quoted === undefined
    ? masked
    : { ...masked, source: { ...source, messageId: quoted.after.id } };
}

function maskPin({ source, ...pin }: Pin, messages: MaskedMessages, mask: ConversationMask): Pin {
  const masked = { ...pin, id: asPinId(mask.id("pin", pin.id)), text: mask.text(pin.text) };
  const quoted = source === undefined ? undefined : messages.get(source.messageId);
  if (source === undefined || quoted === undefined) return masked;
  const messageId = quoted.after.id;
  const text = visibleText(quoted.after);
  // Masks change lengths, so the quotation is located again; if a mask cut into it, the pin loses its source.
  if (text === visibleText(quoted.before)) return { ...masked, source: { ...source, messageId } };
  const start = text.indexOf(masked.text);
  return start < 0 ? masked : { ...masked, source: { messageId, start, end: start + masked.text.length } };
}

/** Masks one part of a message. Media, signatures and encrypted content stay unchanged. */
function maskPart(part: Part, mask: ConversationMask): Part {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: mask.text(part.text), ...metadataOf(part, mask) };
    case "tool-call":
      return {
        ...part,
        callId: asToolCallId(mask.id("call", part.callId)),
        input: maskJson(part.input, mask.text),
        ...(part.invalidInput !== undefined && { invalidInput: mask.text(part.invalidInput) }),
        ...metadataOf(part, mask),
      };
    case "tool-result":
      return { ...part, result: maskResult(part.result, mask), ...metadataOf(part, mask) };
    case "opaque":
      return { ...part, value: maskProviderValue(part.value, mask) };
    case "image":
    case "file":
      return { ...part, ...metadataOf(part, mask) };
  }
}

type ToolResult = Extract<Part, { type: "tool-result" }>["result"];

function maskResult(result: ToolResult, mask: ConversationMask): ToolResult {
  return {
    ...result,
    callId: asToolCallId(mask.id("call", result.callId)),
    content: maskContent(result.content, mask),
    ...(result.keyFields !== undefined && { keyFields: maskFields(result.keyFields, mask.text) }),
    ...(result.startedAt !== undefined && { startedAt: mask.time(result.startedAt) }),
    ...(result.completedAt !== undefined && { completedAt: mask.time(result.completedAt) }),
  };
}

function maskContent(content: ToolResultContent, mask: ConversationMask): ToolResultContent {
  switch (content.type) {
    case "text":
      return { ...content, text: mask.text(content.text) };
    case "json":
      return { ...content, value: maskJson(content.value, mask.text) };
    case "blocks":
      return {
        ...content,
        blocks: content.blocks.map((block) =>
          block.type === "text" ? { ...block, text: mask.text(block.text), ...metadataOf(block, mask) } : block,
        ),
      };
  }
}

type Metadata = Readonly<Record<string, JsonObject>>;

/** The masked metadata as a field to spread; empty when a part has none, because an absent field must stay absent. */
function metadataOf(part: { readonly providerMetadata?: Metadata }, mask: ConversationMask) {
  if (part.providerMetadata === undefined) return {};
  return { providerMetadata: maskProviderValue(part.providerMetadata, mask) as Metadata };
}

const maskProviderValue = (value: JsonValue, mask: ConversationMask): JsonValue =>
  maskIdFields(value, (id) => mask.id("item", id));

/** Masks the texts inside a JSON value. Keys stay: they are the shape of the value. */
function maskJson(value: JsonValue, text: TextMask): JsonValue {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskJson(item, text));
  return typeof value === "object" && value !== null ? maskFields(value as JsonObject, text) : value;
}

/** Masks the texts inside an object's fields. */
const maskFields = (value: JsonObject, text: TextMask): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskJson(item as JsonValue, text)]));

/** Names of fields that contain an id, in the spelling of every provider. */
const ID_FIELD = /^(?:id|.*_id|.*Id)$/;

/**
 * Masks the ids inside provider values, which a provider wants back byte for byte. Nothing else in them is touched:
 * that would break signatures and encrypted content.
 */
function maskIdFields(value: JsonValue, id: (value: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskIdFields(item, id));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [
      key,
      typeof item === "string" && ID_FIELD.test(key) ? id(item) : maskIdFields(item as JsonValue, id),
    ]),
  );
}
