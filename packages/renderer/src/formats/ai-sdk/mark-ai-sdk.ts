import type { ChatRequest, JsonObject, Part } from "@threadfold/core";
import { type BreakpointPlaces, breakpointPlaces } from "../../cache/breakpoint-places.ts";
import { canMark, carrierPlaces, markPayload, markRequest, type PartMark } from "../../cache/mark-request.ts";
import { capabilitiesOf } from "../../input/model-capabilities.ts";
import type { CacheOptions } from "../provider-format.ts";

/** How the providers of the SDK that take breakpoints are told of one, and how far back each looks. */
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
 * Places breakpoints as options of the model's provider on parts and instructions. Anthropic's where the model is not
 * known: other providers do not read them. What else OpenAI is told, such as the mode, is an option of the host's call.
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

/** Where {@link markAiSdk} places them; null where it places none. */
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

/** Thinking cannot carry a breakpoint, and a provider's own item goes out as it is. */
const carries = ({ type }: Part): boolean => type !== "reasoning" && type !== "opaque";
