import {
  type JsonObject,
  type JsonValue,
  type ToolResultEnvelope,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import { lowerResultMedia } from "./media.ts";
import { withOptions } from "./provider-options.ts";

/** A result names its call and its tool. */
export function lowerToolResult({ result, providerMetadata }: ToolResultPart): JsonObject {
  const { callId, toolName } = result;
  return withOptions({ type: "tool-result", toolCallId: callId, toolName, output: outputOf(result) }, providerMetadata);
}

/** The kind of output says whether the call failed. Pictures and documents have no failed kind. */
function outputOf({ content, outcome }: ToolResultEnvelope): JsonObject {
  const failed = outcome === "failure";
  if (content.type === "json") return { type: failed ? "error-json" : "json", value: content.value };
  const hasMedia = content.type === "blocks" && content.blocks.some(({ type }) => type !== "text");
  if (content.type === "text" || (failed && !hasMedia))
    return { type: failed ? "error-text" : "text", value: toolResultText(content) };
  const value = content.blocks.map(
    (block): JsonValue =>
      block.type === "text"
        ? withOptions({ type: "text", text: block.text }, block.providerMetadata)
        : lowerResultMedia(block),
  );
  return { type: "content", value };
}
