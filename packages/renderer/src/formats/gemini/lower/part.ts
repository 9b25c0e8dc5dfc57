import type { ChatMessage, JsonValue, Part } from "@threadfold/core";
import type { GeminiPart } from "../wire-types.ts";
import { lowerCall } from "./function-call.ts";
import { lowerResult } from "./function-response.ts";
import { lowerMedia } from "./media.ts";
import { thoughtSignature } from "./thought-signature.ts";

/** One part is one part. `caller` is the assistant message before a result. */
export function lowerPart(part: Part, message: ChatMessage, caller: ChatMessage | undefined): GeminiPart | JsonValue {
  switch (part.type) {
    case "text":
      return { text: part.text, ...thoughtSignature(part, message) };
    case "reasoning":
      return { text: part.text, thought: true, ...thoughtSignature(part, message) };
    case "image":
    case "file":
      return lowerMedia(part);
    case "tool-call":
      return lowerCall(part, message);
    case "tool-result":
      return lowerResult(part, caller);
    case "opaque":
      return part.value;
  }
}
