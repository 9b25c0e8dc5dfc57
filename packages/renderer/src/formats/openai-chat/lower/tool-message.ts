import { type ChatMessage, type JsonObject, toolResultText } from "@threadfold/core";

/** A result is text. */
export function lowerResult({ parts }: ChatMessage): JsonObject {
  const [part] = parts;
  if (part?.type !== "tool-result") return { role: "tool", content: "" };
  return { role: "tool", tool_call_id: part.result.callId, content: toolResultText(part.result.content) };
}
