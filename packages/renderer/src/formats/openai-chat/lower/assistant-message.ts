import type { ChatMessage, JsonObject, ToolCallPart } from "@threadfold/core";
import { derivation } from "../../../neutral/derivation.ts";
import { lowerTexts } from "./texts.ts";

/** Content is null where there are only calls. Reasoning and opaque items have no place here. */
export function lowerAssistant({ parts }: ChatMessage): JsonObject {
  const calls = parts.filter((part) => part.type === "tool-call");
  const text = lowerTexts(parts);
  if (calls.length === 0) return { role: "assistant", content: text };
  return { role: "assistant", content: text === "" ? null : text, tool_calls: calls.map(lowerCall) };
}

const lowerCall = (part: ToolCallPart): JsonObject => ({
  id: part.callId,
  type: "function",
  function: { name: part.toolName, arguments: argumentsOf(part, null) },
});

/** Arguments are JSON in a string, serialized once per call. */
const argumentsOf = derivation(({ input }: ToolCallPart, _key: null): string => JSON.stringify(input));
