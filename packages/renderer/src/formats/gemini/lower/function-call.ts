import type { ChatMessage, JsonObject, ToolCallPart } from "@threadfold/core";
import type { GeminiFunctionCall } from "../wire-types.ts";
import { thoughtSignature } from "./thought-signature.ts";

export function lowerCall(part: ToolCallPart, message: ChatMessage): GeminiFunctionCall {
  const { callId, toolName, input } = part;
  // Arguments are objects by now; in a request that nobody made legal, the check says where they are not.
  return {
    functionCall: { id: callId, name: toolName, args: input as JsonObject },
    ...thoughtSignature(part, message),
  };
}
