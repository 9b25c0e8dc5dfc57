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

/** A request writes at most four breakpoints, and earlier ones are found however far back. */
const LIMITS = { most: 4, lookBackBlocks: Number.POSITIVE_INFINITY } as const;

/** One of OpenAI's formats, as far as breakpoints depend on it. */
export interface OpenaiMarking extends MarkedFormat {
  /** Whether this part of this message has a place for a breakpoint. */
  carries(part: Part, message: ChatMessage): boolean;
  /** Whether the last system text of a request has one. */
  carriesSystem(request: ChatRequest): boolean;
}

/**
 * Places OpenAI's explicit breakpoints and turns off the one that OpenAI would place itself, which would stand behind
 * what is gone in the next request. Without a place for any, and for models that refuse them, the payload stays as it is.
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

/** Where {@link markOpenai} places them; null where it places none. */
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
