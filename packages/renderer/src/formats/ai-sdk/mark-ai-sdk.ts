import type { ChatRequest, JsonObject, Part } from "@threadfold/core";
import { type BreakpointPlaces, breakpointPlaces } from "../../cache/breakpoint-places.ts";
import { canMark, carrierPlaces, markPayload, markRequest, type PartMark } from "../../cache/mark-request.ts";
import { capabilitiesOf } from "../../input/model-capabilities.ts";
import type { CacheOptions } from "../provider-format.ts";

/** How the SDK's providers that accept breakpoints spell them, and how far back each looks. */
const PROVIDERS = {
  anthropic: { field: "cacheControl", oldFields: ["cacheControl", "cache_control"], most: 4, lookBackBlocks: 20 },
  openai: {
    field: "promptCacheBreakpoint",
    oldFields: ["promptCacheBreakpoint"],
    most: 4,
    lookBackBlocks: Number.POSITIVE_INFINITY,
  },
} as const;

/**
 * Places breakpoints as options of the model's provider on parts and instructions. For an unknown model, Anthropic's
 * are used: other providers do not read them. OpenAI's other settings, such as the mode, are options of the host's
 * call.
 */
export function markAiSdk(
  payload: JsonObject,
  request: ChatRequest,
  cache: CacheOptions,
  lower: (request: ChatRequest) => JsonObject,
): JsonObject {
  const mark = markFor(cache);
  const places = mark && placesFor(request, cache, mark);
  if (mark === null || places === null) return payload;
  const marked = markRequest(request, places, mark);
  return markPayload(payload, request, marked, { field: "messages", lower, itemsOf: () => 1 });
}

/** Returns where {@link markAiSdk} places breakpoints, or null if it places none. */
export function aiSdkPlaces(request: ChatRequest, cache: CacheOptions): BreakpointPlaces | null {
  const mark = markFor(cache);
  return mark && placesFor(request, cache, mark);
}

type AiSdkMark = PartMark & { readonly provider: keyof typeof PROVIDERS };

function markFor({ ttl, model, capabilities }: CacheOptions): AiSdkMark | null {
  const known = model === undefined ? null : capabilitiesOf(model, capabilities);
  const provider = known?.provider ?? "anthropic";
  if (provider !== "anthropic" && provider !== "openai") return null;
  if (known !== null && !known.cacheBreakpoints) return null;
  const { field, oldFields } = PROVIDERS[provider];
  const value = provider === "openai" ? { mode: "explicit" } : { type: "ephemeral", ...(ttl !== undefined && { ttl }) };
  return { provider, field, oldFields, value, onResults: "part", carries };
}

function placesFor(request: ChatRequest, { previous }: CacheOptions, mark: AiSdkMark): BreakpointPlaces | null {
  const { most, lookBackBlocks } = PROVIDERS[mark.provider];
  const places = breakpointPlaces(request, { most, lookBackBlocks, ...(previous !== undefined && { previous }) });
  return canMark(request, places, mark) ? carrierPlaces(request, places, mark) : null;
}

/** Thinking cannot carry a breakpoint, and a provider's own item is sent unchanged. */
const carries = ({ type }: Part): boolean => type !== "reasoning" && type !== "opaque";
