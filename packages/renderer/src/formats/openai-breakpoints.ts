import type { ChatMessage, ChatRequest, JsonObject, Part } from "@threadfold/core";
import { breakpointPlaces } from "../cache/breakpoint-places.ts";
import { canMark, type MarkedFormat, markPayload, markRequest, type PartMark } from "../cache/mark-request.ts";
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
  { previous, model, capabilities }: CacheOptions,
  format: OpenaiMarking,
): JsonObject {
  if (model === undefined || capabilitiesOf(model, capabilities)?.cacheBreakpoints !== true) return payload;
  const places = breakpointPlaces(request, { ...LIMITS, ...(previous !== undefined && { previous }) });
  const kept = { ...places, frame: places.frame && format.carriesSystem(request) };
  const mark: PartMark = { ...MARK, carries: format.carries };
  if (!canMark(request, kept, mark)) return payload;
  const marked = markPayload(payload, request, markRequest(request, kept, mark), format);
  return { ...marked, prompt_cache_options: { mode: "explicit" } };
}

const MARK = {
  provider: "openai",
  field: "prompt_cache_breakpoint",
  value: { mode: "explicit" },
  oldFields: ["prompt_cache_breakpoint"],
  onResults: "text",
} as const;
