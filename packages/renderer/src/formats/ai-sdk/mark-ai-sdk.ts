import type { ChatRequest, JsonObject, Part } from "@threadfold/core";
import { breakpointPlaces } from "../../cache/breakpoint-places.ts";
import { canMark, markPayload, markRequest, type PartMark } from "../../cache/mark-request.ts";
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
  { previous, ttl, model, capabilities }: CacheOptions,
  lower: (request: ChatRequest) => JsonObject,
): JsonObject {
  const known = model === undefined ? null : capabilitiesOf(model, capabilities);
  const provider = known?.provider ?? "anthropic";
  if (provider !== "anthropic" && provider !== "openai") return payload;
  if (known !== null && !known.cacheBreakpoints) return payload;
  const { most, lookBackBlocks, ...fields } = PROVIDERS[provider];
  const value = provider === "openai" ? { mode: "explicit" } : { type: "ephemeral", ...(ttl !== undefined && { ttl }) };
  const mark: PartMark = { provider, ...fields, value, onResults: "part", carries };
  const places = breakpointPlaces(request, { most, lookBackBlocks, ...(previous !== undefined && { previous }) });
  if (!canMark(request, places, mark)) return payload;
  const marked = markRequest(request, places, mark);
  return markPayload(payload, request, marked, { field: "messages", lower, itemsOf: () => 1 });
}

/** Thinking cannot carry a breakpoint, and a provider's own item goes out as it is. */
const carries = ({ type }: Part): boolean => type !== "reasoning" && type !== "opaque";
