import type { ChatMessage, ChatRequest, JsonObject, Part } from "@threadfold/core";
import { type BreakpointPlaces, breakpointPlaces } from "../cache/breakpoint-places.ts";
import {
  canMark,
  carrierPlaces,
  type MarkedFormat,
  markPayload,
  markRequest,
  type PartMark,
} from "../cache/mark-request.ts";
import { capabilitiesOf } from "../input/model-capabilities.ts";
import type { CacheOptions } from "./provider-format.ts";

/** A request may write at most four breakpoints, and earlier ones are found no matter how far back. */
const LIMITS = { most: 4, lookBackBlocks: Number.POSITIVE_INFINITY } as const;

/** One of OpenAI's formats, as far as breakpoints depend on it. */
export interface OpenaiMarking extends MarkedFormat {
  /** Whether a breakpoint can be placed on this part of this message. */
  carries(part: Part, message: ChatMessage): boolean;
  /** Whether one can be placed on the last system text of a request. */
  carriesSystem(request: ChatRequest): boolean;
}

/**
 * Places OpenAI's explicit breakpoints and turns off the implicit one, which OpenAI would place after content that is
 * gone in the next request. If there is no place for any, or the model rejects them, the payload is returned unchanged.
 */
export function markOpenai(
  payload: JsonObject,
  request: ChatRequest,
  cache: CacheOptions,
  format: OpenaiMarking,
): JsonObject {
  const places = openaiPlaces(request, cache, format);
  if (places === null) return payload;
  const marked = markPayload(payload, request, markRequest(request, places, markOf(format)), format);
  return { ...marked, prompt_cache_options: { mode: "explicit" } };
}

/** Returns where {@link markOpenai} places breakpoints, or null if it places none. */
export function openaiPlaces(
  request: ChatRequest,
  { previous, model, capabilities }: CacheOptions,
  format: OpenaiMarking,
): BreakpointPlaces | null {
  if (model === undefined || capabilitiesOf(model, capabilities)?.cacheBreakpoints !== true) return null;
  const places = breakpointPlaces(request, { ...LIMITS, ...(previous !== undefined && { previous }) });
  const kept = { ...places, frame: places.frame && format.carriesSystem(request) };
  return canMark(request, kept, markOf(format)) ? carrierPlaces(request, kept, markOf(format)) : null;
}

const markOf = ({ carries }: OpenaiMarking): PartMark => ({ ...MARK, carries });

const MARK = {
  provider: "openai",
  field: "prompt_cache_breakpoint",
  value: { mode: "explicit" },
  oldFields: ["prompt_cache_breakpoint"],
  onResults: "text",
} as const;
