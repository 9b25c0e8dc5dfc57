import type { ChatMessage, ChatRequest, JsonObject, JsonValue } from "@threadfold/core";
import { asList } from "../legality/plain-object.ts";

/** What marking a payload needs to know of its format. */
export interface MarkedFormat {
  readonly field: "messages" | "input";
  lower(request: ChatRequest): JsonObject;
  /** How many items of the payload's list a message is. */
  itemsOf(message: ChatMessage): number;
}

/**
 * Takes marks over from a request into the payload that was lowered from the same request without them: only messages
 * that the marks changed are lowered again.
 */
export function markPayload(
  payload: JsonObject,
  request: ChatRequest,
  marked: ChatRequest,
  { field, lower, itemsOf }: MarkedFormat,
): JsonObject {
  const frame = lower({ ...marked, messages: [] });
  const leading = asList(frame[field]) as readonly JsonValue[];
  const items = [...leading, ...(asList(payload[field]).slice(leading.length) as readonly JsonValue[])];
  let position = leading.length;
  let caller: ChatMessage | undefined;
  marked.messages.forEach((message, index) => {
    const count = itemsOf(message);
    if (message.role === "assistant") caller = message;
    if (message !== request.messages[index]) items.splice(position, count, ...lowered(message, caller));
    position += count;
  });
  return { ...payload, ...frame, [field]: items };

  /** A result is lowered behind the message that called for it. */
  function lowered(message: ChatMessage, before: ChatMessage | undefined): readonly JsonValue[] {
    const messages = before === undefined || before === message ? [message] : [before, message];
    const list = asList(lower({ system: [], tools: [], messages })[field]) as readonly JsonValue[];
    return list.slice(-itemsOf(message));
  }
}
