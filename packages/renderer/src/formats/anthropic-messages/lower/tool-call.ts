import type { JsonObject, ToolCallPart } from "@threadfold/core";

export const lowerToolCall = ({ callId, toolName, input }: ToolCallPart): JsonObject => ({
  type: "tool_use",
  id: callId,
  name: toolName,
  input,
});
