import { breakpointPlaces, type ChatRequest, canonicalJson, type JsonObject, type ProviderFormat } from "threadfold";

/** Formats whose payload joins what one side says without a break: the last message of a list may still get longer. */
const JOINING: readonly string[] = ["anthropic-messages", "gemini"];

/** No provider's limit: the newest message that stays is wanted, wherever it is. */
const NO_LIMITS = { most: 1, lookBackBlocks: Number.POSITIVE_INFINITY } as const;

/** A payload as a prompt cache reads it. */
export interface CachedPart {
  /** System text, tools and whatever else is not in the list of messages. */
  readonly frame: string;
  /** The list of messages. */
  readonly list: string;
  /** The beginning of `list` that is cached: up to the newest message that stays. */
  readonly cached: string;
}

/** The bytes of a payload in canonical JSON, cut where its cached prefix ends. */
export function cachedPart(format: ProviderFormat, request: ChatRequest, payload: JsonObject): CachedPart {
  const { [format.messagesField]: items, ...frame } = payload;
  const { messages } = breakpointPlaces({ ...request, system: [], tools: [] }, NO_LIMITS);
  const stable = request.messages.slice(0, (messages.at(-1) ?? -1) + 1);
  const lowered = format.lower({ ...request, messages: stable }).payload[format.messagesField];
  return {
    frame: canonicalJson(frame),
    list: canonicalJson(items),
    cached: withoutEnd(canonicalJson(lowered), JOINING.includes(format.id)),
  };
}

/** A list without the brackets that a longer one would not have there. */
const withoutEnd = (list: string, isJoined: boolean): string =>
  isJoined ? list.replace(/(?:\],"role":"[a-z]+"\})?\]$/, "") : list.slice(0, -1);
