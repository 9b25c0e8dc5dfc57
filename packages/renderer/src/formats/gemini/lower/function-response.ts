import {
  type ChatMessage,
  type JsonValue,
  type ToolResultContent,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import type { GeminiFunctionResponse, GeminiMedia } from "../wire-types.ts";
import { lowerMedia } from "./media.ts";

/** A response has the name of its call, whatever the log says about it. */
export function lowerResult({ result }: ToolResultPart, caller: ChatMessage | undefined): GeminiFunctionResponse {
  const call = caller?.parts.find((part) => part.type === "tool-call" && part.callId === result.callId);
  const said = saidBy(result.content);
  const parts = mediaOf(result.content);
  return {
    functionResponse: {
      id: result.callId,
      name: call?.type === "tool-call" ? call.toolName : result.toolName,
      response: result.outcome === "failure" ? { error: said } : { output: said },
      ...(parts.length > 0 && { parts }),
    },
  };
}

/** JSON stays JSON; media stand beside the text. */
function saidBy(content: ToolResultContent): JsonValue {
  if (content.type === "json") return content.value;
  if (content.type === "text") return toolResultText(content);
  return content.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

const mediaOf = (content: ToolResultContent): readonly GeminiMedia[] =>
  content.type === "blocks"
    ? content.blocks.flatMap((block) => (block.type === "text" ? [] : [lowerMedia(block)]))
    : [];
