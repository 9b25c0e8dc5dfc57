import type { ChatMessage, JsonObject, Part } from "@threadfold/core";
import { messageOptions } from "./message-options.ts";
import { lowerPart } from "./part.ts";
import { withOptions } from "./provider-options.ts";

/** One message is one message: the SDK joins the results of a batch itself. Content is a list, so that parts stay apart. */
export function lowerMessage({ role, parts, providerMetadata }: ChatMessage): JsonObject {
  const sent =
    role === "assistant" && !parts.some(({ type }) => type === "reasoning") ? parts.map(withoutItemId) : parts;
  return withOptions({ role, content: sent.map(lowerPart) }, messageOptions(providerMetadata));
}

/**
 * OpenAI refers to an earlier item by its id, and such an item asks for the reasoning that came before it. Where the
 * reasoning does not go out, the item goes out whole and without its id (W16).
 */
function withoutItemId(part: Part): Part {
  if (part.type !== "text" && part.type !== "tool-call") return part;
  const { openai, ...others } = part.providerMetadata ?? {};
  if (openai?.itemId === undefined) return part;
  const { itemId: _id, ...rest } = openai;
  return { ...part, providerMetadata: Object.keys(rest).length === 0 ? others : { ...others, openai: rest } };
}
