import type { MediaPart, Part, ReasoningPart, ToolCallPart, ToolResultPart } from "@threadfold/core";
import { toolResultText } from "@threadfold/core";
import type { ExportNotes } from "../exporting/export-notes.ts";
import { objectOf, textOf } from "../reading/foreign-value.ts";

/** The content of a message as pi has it: the way back from what its importer reads. */
export function piContent(parts: readonly Part[], notes: ExportNotes): readonly object[] {
  return parts.flatMap((part) => piBlock(part, notes) ?? []);
}

function piBlock(part: Part, notes: ExportNotes): object | readonly object[] | undefined {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...metadataOf(part, "textSignature") };
    case "image":
    case "file":
      return mediaBlock(part, notes);
    case "reasoning":
      return thinkingBlock(part);
    case "tool-call":
      return callBlock(part);
    case "tool-result":
      return resultBlocks(part, notes);
    case "opaque":
      if (part.provider === "pi") return part.value as object;
      notes.add("left-out-part");
      return undefined;
  }
}

/** The blocks of a tool result's body. */
function resultBlocks({ result: { content } }: ToolResultPart, notes: ExportNotes): readonly object[] {
  if (content.type === "blocks") return piContent(content.blocks, notes);
  return [{ type: "text", text: toolResultText(content) }];
}

function mediaBlock({ type, source }: MediaPart, notes: ExportNotes): object | undefined {
  if (type === "image" && source.kind === "base64")
    return { type: "image", data: source.data, mimeType: source.mediaType };
  notes.add("left-out-part");
  return undefined;
}

function thinkingBlock(part: ReasoningPart): object {
  const { text, signature, encrypted, provider = "" } = part;
  const { item, field } = objectOf(part.providerMetadata?.[provider]) ?? {};
  if (item !== undefined) return { type: "thinking", thinking: text, thinkingSignature: JSON.stringify(item) };
  if (textOf(field) !== undefined) return { type: "thinking", thinking: text, thinkingSignature: field };
  if (encrypted !== undefined)
    return { type: "thinking", thinking: text, thinkingSignature: encrypted, redacted: true };
  return { type: "thinking", thinking: text, ...(signature !== undefined && { thinkingSignature: signature }) };
}

function callBlock(part: ToolCallPart): object {
  const { input, toolName } = part;
  const isObject = objectOf(input) !== undefined;
  return {
    type: "toolCall",
    id: piCallId(part),
    name: toolName,
    arguments: isObject ? input : { input },
    ...metadataOf(part, "thoughtSignature"),
  };
}

/** pi writes the id of an item of OpenAI behind that of the call. */
export function piCallId(part: ToolCallPart | ToolResultPart): string {
  const callId = part.type === "tool-call" ? part.callId : part.result.callId;
  const { itemId } = metadataOf(part, "itemId");
  return itemId === undefined ? callId : `${callId}|${itemId}`;
}

/** One field of what a provider said of a part, whichever provider it was. */
function metadataOf<Field extends string>(
  { providerMetadata }: Pick<ToolCallPart, "providerMetadata">,
  field: Field,
): { readonly [Key in Field]?: string } {
  for (const extras of Object.values(providerMetadata ?? {})) {
    const value = textOf(extras[field]);
    if (value !== undefined) return { [field]: value } as { readonly [Key in Field]?: string };
  }
  return {};
}
