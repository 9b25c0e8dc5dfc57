import type { JsonValue, Part } from "@threadfold/core";
import { lowerMedia } from "./media.ts";
import { lowerReasoning } from "./reasoning.ts";
import { lowerText } from "./text.ts";
import { lowerToolCall } from "./tool-call.ts";
import { lowerToolResult } from "./tool-result.ts";

/** One part is one part. */
export function lowerPart(part: Part): JsonValue {
  switch (part.type) {
    case "text":
      return lowerText(part);
    case "image":
    case "file":
      return lowerMedia(part);
    case "reasoning":
      return lowerReasoning(part);
    case "tool-call":
      return lowerToolCall(part);
    case "tool-result":
      return lowerToolResult(part);
    case "opaque":
      return part.value;
  }
}
