import type { JsonObject, ReasoningPart } from "@threadfold/core";

/** Signed thinking goes back word for word; redacted thinking as the data that it came as. */
export function lowerReasoning({ text, signature, encrypted }: ReasoningPart): JsonObject {
  if (encrypted !== undefined && signature === undefined) return { type: "redacted_thinking", data: encrypted };
  return { type: "thinking", thinking: text, signature: signature ?? "" };
}
