import {
  type JsonObject,
  type JsonValue,
  type ToolResultContent,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import { lowerMedia } from "./media.ts";
import { lowerText } from "./text.ts";

/** A result without a body has no content at all: blank text is refused. */
export function lowerToolResult({ result }: ToolResultPart): JsonObject {
  const content = lowerContent(result.content);
  return {
    type: "tool_result",
    tool_use_id: result.callId,
    ...(content.length > 0 && { content }),
    ...(result.outcome === "failure" && { is_error: true }),
  };
}

function lowerContent(content: ToolResultContent): string | readonly JsonValue[] {
  if (content.type === "blocks")
    return content.blocks.map((block) => (block.type === "text" ? lowerText(block) : lowerMedia(block)));
  const text = toolResultText(content);
  return text.trim() === "" ? "" : text;
}
