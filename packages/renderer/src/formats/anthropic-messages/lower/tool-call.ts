import type { JsonObject, ToolCallPart } from "@threadfold/core";
import { withBlockFields } from "./block-fields.ts";

export const lowerToolCall = ({ callId, toolName, input, providerMetadata }: ToolCallPart): JsonObject =>
  withBlockFields({ type: "tool_use", id: callId, name: toolName, input }, "tool-call", providerMetadata);
