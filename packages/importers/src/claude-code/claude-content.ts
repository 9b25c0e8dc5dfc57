import type { MediaPart, MediaSource, Part, ReasoningPart, ToolResultPart } from "@threadfold/core";
import { toolResultText } from "@threadfold/core";
import type { ExportNotes } from "../exporting/export-notes.ts";
import { objectOf } from "../reading/foreign-value.ts";

/** Parts as content blocks of the Anthropic Messages API, which Claude Code logs: the way back from what its importer reads. */
export function claudeContent(parts: readonly Part[], notes: ExportNotes): readonly object[] {
  return parts.flatMap((part) => claudeBlock(part, notes) ?? []);
}

function claudeBlock(part: Part, notes: ExportNotes): object | undefined {
  const extras = part.type === "opaque" ? undefined : part.providerMetadata?.["anthropic"];
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...extras };
    case "image":
    case "file":
      return { ...mediaBlock(part), ...extras };
    case "reasoning": {
      const block = thinkingBlock(part);
      if (block === undefined) notes.add("left-out-reasoning");
      return block && { ...block, ...extras };
    }
    case "tool-call": {
      const input = objectOf(part.input) ?? { input: part.input };
      return { type: "tool_use", id: part.callId, name: part.toolName, input, ...extras };
    }
    case "tool-result":
      return { ...resultBlock(part, notes), ...extras };
    case "opaque":
      if (part.provider === "anthropic") return part.value as object;
      notes.add("left-out-part");
      return undefined;
  }
}

function resultBlock({ result: { callId, outcome, content } }: ToolResultPart, notes: ExportNotes): object {
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: content.type === "blocks" ? claudeContent(content.blocks, notes) : toolResultText(content),
    ...(outcome === "failure" && { is_error: true }),
  };
}

/** Only what Anthropic signed can go back to it. */
function thinkingBlock({ text, signature, encrypted, provider }: ReasoningPart): object | undefined {
  if (provider !== undefined && provider !== "anthropic") return undefined;
  if (encrypted !== undefined) return { type: "redacted_thinking", data: encrypted };
  return signature === undefined ? undefined : { type: "thinking", thinking: text, signature };
}

const mediaBlock = ({ type, source, name }: MediaPart): object => ({
  type: type === "image" ? "image" : "document",
  source: mediaSource(source),
  ...(name !== undefined && { title: name }),
});

function mediaSource(source: MediaSource): object {
  switch (source.kind) {
    case "base64":
      return { type: "base64", media_type: source.mediaType, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    case "file-id":
      return { type: "file", file_id: source.fileId };
  }
}
