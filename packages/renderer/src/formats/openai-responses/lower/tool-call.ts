import type { JsonObject, ToolCallPart } from "@threadfold/core";
import { derivation } from "../../../neutral/derivation.ts";
import { isFreeTextCall } from "../../../neutral/free-text-call.ts";
import type { ResponsesCustomToolCall, ResponsesFunctionCall } from "../wire-types.ts";

export function lowerToolCall(
  part: ToolCallPart,
  id: string | undefined,
): ResponsesFunctionCall | ResponsesCustomToolCall {
  const named = { ...(id !== undefined && { id }), call_id: part.callId, name: part.toolName };
  return isFreeTextCall(part)
    ? { type: "custom_tool_call", ...named, input: freeText(part, null) }
    : { type: "function_call", ...named, arguments: argumentsOf(part, null) };
}

/** Arguments are JSON in a string, serialized once per call. */
const argumentsOf = derivation(({ input }: ToolCallPart, _key: null): string => JSON.stringify(input));

/** Free text whose body gave way to a marker stands in an object under `_raw`. */
const freeText = derivation(({ input }: ToolCallPart, _key: null): string => {
  const raw = typeof input === "string" ? input : (Object(input) as JsonObject)["_raw"];
  return typeof raw === "string" ? raw : JSON.stringify(input);
});
