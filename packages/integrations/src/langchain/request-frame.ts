import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { liveFrame } from "@threadfold/importers";
import type { FrameFields, RequestFrame } from "@threadfold/session";
import type { ModelRequest } from "langchain";

type Tools = ModelRequest["tools"];

const toolsOf = new WeakMap<Tools[number], RequestFrame["tools"]>();

/**
 * What LangChain sends beside the conversation, as far as there is any: of an agent without a system message the session's
 * own holds. Tools that run at the provider have no schema that could be counted.
 */
export const requestFrame = ({ systemMessage, tools }: Pick<ModelRequest, "systemMessage" | "tools">): FrameFields => ({
  ...(systemMessage.text !== "" && { system: [systemMessage.text] }),
  ...(tools.length > 0 && { tools: tools.flatMap(definitionOf) }),
});

/** A tool's schema is converted once: a run hands in the same tools before every call. */
function definitionOf(tool: Tools[number]): RequestFrame["tools"] {
  const before = toolsOf.get(tool);
  if (before !== undefined) return before;
  const tools = "schema" in tool ? [convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0])] : [tool];
  const definition = liveFrame("openai-chat", { tools }).tools;
  toolsOf.set(tool, definition);
  return definition;
}
