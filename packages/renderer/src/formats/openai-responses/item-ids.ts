import type { ChatMessage, JsonObject, Part } from "@threadfold/core";
import { isFreeTextCall } from "../../neutral/draft.ts";

/** Returns OpenAI's metadata on a part. */
export const openaiMetadata = (part: Part): JsonObject | undefined =>
  part.type === "opaque" ? undefined : part.providerMetadata?.["openai"];

/** Returns how the provider's id of this kind of item begins. */
function prefixOf(part: Part): string | undefined {
  switch (part.type) {
    case "text":
      return "msg";
    case "reasoning":
      return "rs";
    case "tool-call":
      return isFreeTextCall(part) ? "ctc" : "fc";
    default:
      return undefined;
  }
}

/**
 * Returns the ids that the items of a message are sent with, by part. Nothing is stored at the provider, so ids only
 * say that items belong together: they are kept if the message is unchanged since it arrived and its reasoning and
 * everything after it have ids that no earlier item has, and otherwise dropped. An id whose partner is gone is rejected
 * (W16).
 */
export function itemIds(
  { role, parts, synthetic }: ChatMessage,
  taken: ReadonlySet<string>,
): ReadonlyMap<Part, string> {
  const first = parts.findIndex(({ type }) => type === "reasoning");
  if (role !== "assistant" || synthetic !== undefined || first < 0) return NO_IDS;
  const ids = new Map<Part, string>();
  for (const part of parts.slice(first)) {
    if (part.type === "opaque") continue;
    const id = itemId(part);
    if (id === undefined || taken.has(id)) return NO_IDS;
    ids.set(part, id);
  }
  return new Set(ids.values()).size === ids.size ? ids : NO_IDS;
}

const NO_IDS: ReadonlyMap<Part, string> = new Map();

function itemId(part: Part): string | undefined {
  const metadata = openaiMetadata(part);
  const item = Object(metadata?.["item"]) as JsonObject;
  const id = metadata?.["id"] ?? metadata?.["itemId"] ?? item["id"];
  const prefix = prefixOf(part);
  const isId = typeof id === "string" && id.length <= MAX_ID_LENGTH;
  return isId && prefix !== undefined && id.startsWith(prefix) ? id : undefined;
}

/** Maximum length of an item id, in UTF-16 code units. */
export const MAX_ID_LENGTH = 64;
