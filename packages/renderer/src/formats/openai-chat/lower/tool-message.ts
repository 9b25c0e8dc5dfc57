import {
  type ChatMessage,
  type JsonObject,
  type JsonValue,
  type ToolResultContent,
  toolResultText,
} from "@threadfold/core";
import { lowerTexts } from "./texts.ts";

/** A result is text. */
export function lowerResult({ parts }: ChatMessage): JsonObject {
  const [part] = parts;
  if (part?.type !== "tool-result") return { role: "tool", content: "" };
  return { role: "tool", tool_call_id: part.result.callId, content: lowerContent(part.result.content) };
}

/** Texts with a cache breakpoint among them stay a list. */
function lowerContent(content: ToolResultContent): JsonValue {
  const texts = content.type === "blocks" ? content.blocks.filter((block) => block.type === "text") : [];
  const isMarked = texts.some((text) => text.providerMetadata?.openai?.prompt_cache_breakpoint !== undefined);
  return isMarked ? lowerTexts(texts) : toolResultText(content);
}
