import type { JsonObject, ToolCallPart } from "@threadfold/core";
import { withOptions } from "./provider-options.ts";

export const lowerToolCall = ({ callId, toolName, input, providerMetadata }: ToolCallPart): JsonObject =>
  withOptions({ type: "tool-call", toolCallId: callId, toolName, input }, providerMetadata);
