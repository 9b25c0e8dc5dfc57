import {
  type ChatMessage,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type MediaSource,
  type Part,
  type ProviderMetadata,
  type ReasoningPart,
  type Role,
  type TextPart,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultContent,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import { isProviderContent } from "../../neutral/provider-content.ts";
import { joinedSchema, providerFields } from "../provider-fields.ts";

/**
 * Fields that the API accepts on each kind of block besides content (`@anthropic-ai/sdk`, request types); none on
 * thinking.
 */
const BLOCK_FIELDS: Readonly<Record<Exclude<Part["type"], "reasoning" | "opaque">, readonly string[]>> = {
  text: ["cache_control", "citations"],
  image: ["cache_control", "transformations"],
  file: ["cache_control", "citations", "context"],
  "tool-call": ["cache_control", "caller", "toolset_name"],
  "tool-result": ["cache_control", "toolset_name"],
};

/** Adds Anthropic's metadata on a part from when the thread was imported: cache markers, citations, callers. */
function withBlockFields(
  block: JsonObject,
  type: keyof typeof BLOCK_FIELDS,
  metadata: ProviderMetadata | undefined,
): JsonObject {
  return metadata === undefined ? block : { ...block, ...providerFields(metadata, "anthropic", BLOCK_FIELDS[type]) };
}

const TOOL_FIELDS = [
  "type",
  "cache_control",
  "strict",
  "defer_loading",
  "allowed_callers",
  "input_examples",
  "eager_input_streaming",
] as const;

/**
 * Lowers a tool. The API requires a schema of type object; a tool run by the provider has a type and no schema.
 */
export function lowerTool({ name, description, inputSchema, providerMetadata }: ToolDefinition): JsonObject {
  const own = providerMetadata?.anthropic;
  if (typeof own?.type === "string" && own.type !== "custom") return { ...own, name };
  return {
    name,
    ...(description !== undefined && description !== "" && { description }),
    input_schema: joinedSchema(inputSchema, null),
    ...providerFields(providerMetadata, "anthropic", TOOL_FIELDS),
  };
}

/** Results are sent in user messages. */
const wireRole = (role: Role): string => (role === "tool" ? "user" : role);

/**
 * Lowers messages, joining consecutive messages of one role: the results of a batch and what the user says next become
 * one message, results first. Content is always a list of blocks, so that more of it only adds to the end.
 */
export function lowerMessages(messages: readonly ChatMessage[]): readonly JsonObject[] {
  const lowered: LoweredMessage[] = [];
  let isJoined = false;
  for (const { role, parts, providerMetadata } of messages) {
    const open = lowered.at(-1);
    const fields = role === "system" ? providerFields(providerMetadata, "anthropic", SYSTEM_FIELDS) : {};
    const isPlain = Object.keys(fields).length === 0;
    const own: LoweredMessage = { role: wireRole(role), ...fields, content: [] };
    const target = isJoined && isPlain && open?.role === own.role ? open : own;
    if (target === own) lowered.push(target);
    isJoined = isPlain;
    for (const part of parts) target.content.push(lowerPart(part));
  }
  return lowered;
}

interface LoweredMessage {
  readonly [field: string]: JsonValue;
  readonly role: string;
  readonly content: JsonValue[];
}

/** Fields of a system message inside a conversation: how long it is shown, and settings that it changes. */
export const SYSTEM_FIELDS = ["clear_at", "output_config"] as const;

/** Lowers one part to one block. */
function lowerPart(part: Part): JsonValue {
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

/** Lowers a text of a message or of the system. */
export const lowerText = ({ text, providerMetadata }: Pick<TextPart, "text" | "providerMetadata">): JsonObject =>
  withBlockFields({ type: "text", text }, "text", providerMetadata);

/** Lowers an image or document. */
function lowerMedia({ type, source, name, providerMetadata }: MediaPart): JsonObject {
  if (type === "image") return withBlockFields({ type: "image", source: lowerSource(source) }, type, providerMetadata);
  const document = { type: "document", source: lowerSource(source), ...(name !== undefined && { title: name }) };
  return withBlockFields(document, type, providerMetadata);
}

function lowerSource(source: MediaSource): JsonObject {
  switch (source.kind) {
    case "base64":
      return source.mediaType === "text/plain"
        ? { type: "text", media_type: source.mediaType, data: decodeText(source.data) }
        : { type: "base64", media_type: source.mediaType, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    case "file-id":
      return { type: "file", file_id: source.fileId };
  }
}

/** Plain-text documents are sent as text. Bytes that are not UTF-8 become U+FFFD. */
const decodeText = (base64: string): string => new TextDecoder().decode(Buffer.from(base64, "base64"));

/** Signed thinking is sent back verbatim; redacted thinking as the data that it came as. */
function lowerReasoning({ text, signature, encrypted }: ReasoningPart): JsonObject {
  if (encrypted !== undefined && signature === undefined) return { type: "redacted_thinking", data: encrypted };
  return { type: "thinking", thinking: text, signature: signature ?? "" };
}

const lowerToolCall = ({ callId, toolName, input, providerMetadata }: ToolCallPart): JsonObject =>
  withBlockFields({ type: "tool_use", id: callId, name: toolName, input }, "tool-call", providerMetadata);

/** A result without a body has no content at all: blank text is rejected. */
function lowerToolResult({ result, providerMetadata }: ToolResultPart): JsonObject {
  const isFailed = result.outcome === "failure";
  const content = lowerContent(result.content, isFailed);
  const block = {
    type: "tool_result",
    tool_use_id: result.callId,
    ...(content.length > 0 && { content }),
    ...(isFailed && { is_error: true }),
  };
  return withBlockFields(block, "tool-result", providerMetadata);
}

/** A failed result may contain only text: the provider's own blocks are then sent as JSON text. */
function lowerContent(content: ToolResultContent, isFailed: boolean): string | readonly JsonValue[] {
  if (content.type === "blocks")
    return content.blocks.map((block) => (block.type === "text" ? lowerText(block) : lowerMedia(block)));
  if (content.type === "json" && !isFailed && isProviderContent(content.value)) return content.value;
  const text = toolResultText(content);
  return text.trim() === "" ? "" : text;
}
