import { type ChatMessage, type MediaPart, type Part, toolResultText } from "@threadfold/core";
import { AIMessage, type BaseMessage, type ContentBlock, HumanMessage, SystemMessage, ToolMessage } from "langchain";

/** Blocks in the forms that LangChain's packages for providers read. */
type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * A message that rendering made, or changed, as one of LangChain's. Those that the thread has as they were are handed
 * through by whoever has them.
 */
export function baseMessage({ role, parts }: ChatMessage): BaseMessage {
  switch (role) {
    case "assistant":
      return assistantMessage(parts);
    case "tool":
      return toolMessage(parts);
    case "system":
      return new SystemMessage(contentOf(parts));
    case "user":
      return new HumanMessage(contentOf(parts));
  }
}

/** Calls whose arguments were no JSON go out as calls all the same: their ids have results, which nothing else may answer. */
function assistantMessage(parts: readonly Part[]): AIMessage {
  const calls = parts.filter((part) => part.type === "tool-call");
  return new AIMessage({
    ...contentOf(parts.filter(({ type }) => type !== "tool-call")),
    tool_calls: calls.map(({ callId, toolName, input }) => {
      const args = typeof input === "object" && input !== null && !Array.isArray(input) ? input : { _raw: input };
      return { type: "tool_call" as const, id: callId, name: toolName, args };
    }),
  });
}

function toolMessage(parts: readonly Part[]): ToolMessage {
  const part = parts.find(({ type }) => type === "tool-result");
  if (part?.type !== "tool-result") return new ToolMessage({ content: "", tool_call_id: "" });
  const { callId, toolName, outcome, content } = part.result;
  const status = outcome === "failure" ? ("error" as const) : ("success" as const);
  const named = { tool_call_id: callId, name: toolName, status };
  if (content.type === "blocks" && content.blocks.some(({ type }) => type !== "text"))
    return new ToolMessage({ ...contentOf(content.blocks), ...named });
  return new ToolMessage({ content: toolResultText(content), ...named });
}

/** One text is a string, which every provider's package takes; anything else is a list of blocks. */
function contentOf(parts: readonly Part[]): { content: string | ContentBlock[] } {
  const [first] = parts;
  if (first === undefined) return { content: "" };
  if (parts.length === 1 && first.type === "text" && first.providerMetadata === undefined)
    return { content: first.text };
  return { content: parts.map(blockOf) as ContentBlock[] };
}

function blockOf(part: Part): Block {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...part.providerMetadata?.["langchain"] };
    case "reasoning":
      if (part.encrypted !== undefined) return { type: "redacted_thinking", data: part.encrypted };
      return part.signature === undefined
        ? { type: "reasoning", reasoning: part.text }
        : { type: "thinking", thinking: part.text, signature: part.signature };
    case "image":
    case "file":
      return mediaBlock(part);
    case "opaque":
      return part.value as Block;
    default:
      return { type: "text", text: "" };
  }
}

function mediaBlock({ type, source }: MediaPart): Block {
  const { mediaType: mimeType } = source;
  const typed = mimeType === undefined ? {} : { mimeType };
  switch (source.kind) {
    case "base64":
      return { type, data: source.data, ...typed };
    case "url":
      return { type, url: source.url, ...typed };
    case "file-id":
      return { type, fileId: source.fileId, ...typed };
  }
}
