import {
  asMessageId,
  asPinId,
  type MessageId,
  type MessageInput,
  type Pin,
  type PinLiftedEntry,
  type ThreadEntryInput,
  visibleText,
} from "@threadfold/core";
import type { ConversationMask } from "./conversation-mask.ts";
import { maskPart } from "./mask-part.ts";

/** Masks the entries of a thread, oldest first, so that what is appended later changes no number given before. */
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
  // Masks change lengths, so the quotation is looked for again; where a mask cut into it, the pin stands for itself.
  if (text === visibleText(quoted.before)) return { ...masked, source: { ...source, messageId } };
  const start = text.indexOf(masked.text);
  return start < 0 ? masked : { ...masked, source: { messageId, start, end: start + masked.text.length } };
}
