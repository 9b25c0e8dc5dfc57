import { asToolCallId, type JsonObject, type JsonValue, type Part, type ToolResultContent } from "@threadfold/core";
import type { ConversationMask } from "./conversation-mask.ts";
import { maskFields, maskIdFields, maskJson } from "./mask-values.ts";

/** Masks one part of a message. Media, signatures and encrypted content stay as they are. */
export function maskPart(part: Part, mask: ConversationMask): Part {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: mask.text(part.text), ...metadataOf(part, mask) };
    case "tool-call":
      return {
        ...part,
        callId: asToolCallId(mask.id("call", part.callId)),
        input: maskJson(part.input, mask.text),
        ...(part.invalidInput !== undefined && { invalidInput: mask.text(part.invalidInput) }),
        ...metadataOf(part, mask),
      };
    case "tool-result":
      return { ...part, result: maskResult(part.result, mask), ...metadataOf(part, mask) };
    case "opaque":
      return { ...part, value: maskProviderValue(part.value, mask) };
    case "image":
    case "file":
      return { ...part, ...metadataOf(part, mask) };
  }
}

type ToolResult = Extract<Part, { type: "tool-result" }>["result"];

function maskResult(result: ToolResult, mask: ConversationMask): ToolResult {
  return {
    ...result,
    callId: asToolCallId(mask.id("call", result.callId)),
    content: maskContent(result.content, mask),
    ...(result.keyFields !== undefined && { keyFields: maskFields(result.keyFields, mask.text) }),
    ...(result.startedAt !== undefined && { startedAt: mask.time(result.startedAt) }),
    ...(result.completedAt !== undefined && { completedAt: mask.time(result.completedAt) }),
  };
}

function maskContent(content: ToolResultContent, mask: ConversationMask): ToolResultContent {
  switch (content.type) {
    case "text":
      return { ...content, text: mask.text(content.text) };
    case "json":
      return { ...content, value: maskJson(content.value, mask.text) };
    case "blocks":
      return {
        ...content,
        blocks: content.blocks.map((block) =>
          block.type === "text" ? { ...block, text: mask.text(block.text), ...metadataOf(block, mask) } : block,
        ),
      };
  }
}

type Metadata = Readonly<Record<string, JsonObject>>;

/** The masked metadata as a field to spread; nothing where a part has none, for an absent field must stay absent. */
function metadataOf(part: { readonly providerMetadata?: Metadata }, mask: ConversationMask) {
  if (part.providerMetadata === undefined) return {};
  return { providerMetadata: maskProviderValue(part.providerMetadata, mask) as Metadata };
}

const maskProviderValue = (value: JsonValue, mask: ConversationMask): JsonValue =>
  maskIdFields(value, (id) => mask.id("item", id));
