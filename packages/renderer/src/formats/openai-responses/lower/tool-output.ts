import { type ChatMessage, type ToolResultContent, type ToolResultPart, toolResultText } from "@threadfold/core";
import { isFreeTextCall } from "../../../neutral/free-text-call.ts";
import type { ResponsesInputContent, ResponsesToolOutput } from "../wire-types.ts";
import { lowerContent } from "./content.ts";

/** An output is of the kind of its call, whatever the log says about it. */
export function lowerToolOutput({ result }: ToolResultPart, caller: ChatMessage | undefined): ResponsesToolOutput {
  const call = caller?.parts.find((part) => part.type === "tool-call" && part.callId === result.callId);
  const isFreeText = call?.type === "tool-call" && isFreeTextCall(call);
  return {
    type: isFreeText ? "custom_tool_call_output" : "function_call_output",
    call_id: result.callId,
    output: lowerOutput(result.content),
  };
}

/** Text alone is text; what holds a picture, a document or a cache breakpoint is a list. */
function lowerOutput(content: ToolResultContent): string | readonly ResponsesInputContent[] {
  if (content.type !== "blocks") return toolResultText(content);
  const blocks = content.blocks.map(lowerContent);
  const isPlain = blocks.every(
    ({ type, prompt_cache_breakpoint: mark }) => type === "input_text" && mark === undefined,
  );
  return isPlain ? toolResultText(content) : blocks;
}
