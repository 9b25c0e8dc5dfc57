import {
  type ChatMessage,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type MediaSource,
  type Part,
  type ProviderMetadata,
  type ReasoningPart,
  type SystemEntry,
  type TextPart,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultEnvelope,
  type ToolResultPart,
  toolResultText,
  toSystemText,
} from "@threadfold/core";
import { objectSchema } from "../provider-fields.ts";

/**
 * Lowers one message to one message: the SDK joins a batch's results itself. Content is a list, so parts stay separate.
 */
export function lowerMessage({ role, parts, providerMetadata }: ChatMessage): JsonObject {
  const sent =
    role === "assistant" && !parts.some(({ type }) => type === "reasoning") ? parts.map(withoutItemId) : parts;
  const content = sent.map(lowerPart);
  return withOptions({ role: isDecision(parts) ? "tool" : role, content }, messageOptions(providerMetadata));
}

/** What a person decided about calls, which the thread keeps as said by the harness, goes where results go. */
const isDecision = (parts: readonly Part[]): boolean =>
  parts.length > 0 &&
  parts.every((part) => part.type === "opaque" && Object(part.value).type === "tool-approval-response");

/**
 * OpenAI refers to an earlier item by its id, and such an item requires the reasoning that came before it. If the
 * reasoning is not sent, the item is sent in full and without its id (W16).
 */
function withoutItemId(part: Part): Part {
  if (part.type !== "text" && part.type !== "tool-call") return part;
  const { openai, ...others } = part.providerMetadata ?? {};
  if (openai?.itemId === undefined) return part;
  const { itemId: _id, ...rest } = openai;
  return { ...part, providerMetadata: Object.keys(rest).length === 0 ? others : { ...others, openai: rest } };
}

/** Lowers one part to one part. */
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

/** Lowers a system text to an instruction, with the provider options that it came with. */
export function lowerSystem(entry: SystemEntry): JsonObject {
  const { text, providerMetadata } = toSystemText(entry);
  return withOptions({ role: "system", content: text }, messageOptions(providerMetadata));
}

const lowerText = ({ text, providerMetadata }: TextPart): JsonObject =>
  withOptions({ type: "text", text }, providerMetadata);

/** Lowers an image or document to a file part, whose data is base64 text or a URL as text. */
function lowerMedia({ type, source, name, providerMetadata }: MediaPart): JsonObject {
  const part = { type: "file", data: dataOf(source), mediaType: mediaTypeOf(type, source) };
  return withOptions({ ...part, ...(name !== undefined && { filename: name }) }, providerMetadata);
}

/** Lowers media in a tool's output, where bytes and URLs are separate kinds of parts. */
function lowerResultMedia({ type, source, name }: MediaPart): JsonObject {
  if (source.kind === "url") return { type: `${type}-url`, url: source.url };
  const filename = type === "file" && name !== undefined ? { filename: name } : {};
  return { type: `${type}-data`, data: dataOf(source), mediaType: mediaTypeOf(type, source), ...filename };
}

function dataOf(source: MediaSource): string {
  switch (source.kind) {
    case "base64":
      return source.data;
    case "url":
      return source.url;
    case "file-id":
      return source.fileId;
  }
}

/** Returns the media type that the SDK requires; an image of unknown type may just say that it is one. */
function mediaTypeOf(type: MediaPart["type"], source: MediaSource): string {
  if (source.mediaType !== undefined) return source.mediaType;
  if (type === "image") return "image/*";
  return source.kind === "url" && /\.pdf(?:[?#]|$)/i.test(source.url) ? "application/pdf" : "application/octet-stream";
}

/** Fields in which each of the SDK's providers puts the proof of its own reasoning. */
const PROOF_FIELDS: Readonly<Record<string, { readonly signature: string; readonly encrypted: string }>> = {
  anthropic: { signature: "signature", encrypted: "redactedData" },
  openai: { signature: "signature", encrypted: "reasoningEncryptedContent" },
  google: { signature: "thoughtSignature", encrypted: "thoughtSignature" },
};

/** Provider names of ours for which the SDK uses another name. */
const SDK_NAMES: Readonly<Record<string, string>> = { gemini: "google" };

/** Lowers reasoning to its text; signatures and encrypted data become options of the provider that made them. */
function lowerReasoning(part: ReasoningPart): JsonObject {
  return withOptions({ type: "reasoning", text: part.text }, withProof(part));
}

function withProof({ provider, signature, encrypted, providerMetadata }: ReasoningPart): ProviderMetadata | undefined {
  if (provider === undefined || (signature === undefined && encrypted === undefined)) return providerMetadata;
  const name = SDK_NAMES[provider] ?? provider;
  const fields = PROOF_FIELDS[name] ?? { signature: "signature", encrypted: "encrypted" };
  const proof: JsonObject = {
    ...(signature !== undefined && { [fields.signature]: signature }),
    ...(encrypted !== undefined && { [fields.encrypted]: encrypted }),
  };
  return { ...providerMetadata, [name]: { ...providerMetadata?.[name], ...proof } };
}

const lowerToolCall = ({ callId, toolName, input, providerMetadata }: ToolCallPart): JsonObject =>
  withOptions({ type: "tool-call", toolCallId: callId, toolName, input }, providerMetadata);

/** A result names its call and its tool. */
function lowerToolResult({ result, providerMetadata }: ToolResultPart): JsonObject {
  const { callId, toolName } = result;
  return withOptions({ type: "tool-result", toolCallId: callId, toolName, output: outputOf(result) }, providerMetadata);
}

/** Returns the output of a result, whose type says whether the call failed. The types for failures have no media. */
function outputOf({ content, outcome }: ToolResultEnvelope): JsonObject {
  const failed = outcome === "failure";
  if (content.type === "json") return { type: failed ? "error-json" : "json", value: content.value };
  if (content.type === "text" || failed)
    return { type: failed ? "error-text" : "text", value: toolResultText(content) };
  const value = content.blocks.map(
    (block): JsonValue =>
      block.type === "text"
        ? withOptions({ type: "text", text: block.text }, block.providerMetadata)
        : lowerResultMedia(block),
  );
  return { type: "content", value };
}

/**
 * Lowers a tool to the form that the SDK's language models take. `generateText` takes the host's own tool set instead.
 */
export const lowerTool = ({ name, description, inputSchema }: ToolDefinition): JsonObject => ({
  type: "function",
  name,
  ...(description !== undefined && description !== "" && { description }),
  inputSchema: objectSchema(inputSchema),
});

/** Fields of OpenAI's messages that the SDK has no option for. */
const NO_OPTIONS: readonly string[] = ["name", "role"];

/** Returns a message's provider metadata, as far as the SDK can pass it on. */
function messageOptions(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  if (metadata?.openai === undefined) return metadata;
  const { openai, ...others } = metadata;
  const kept = Object.entries(openai).filter(([name]) => !NO_OPTIONS.includes(name));
  return kept.length === 0 ? others : { ...others, openai: Object.fromEntries(kept) };
}

/** Adds a part's provider metadata under the name that the SDK uses; nothing when there is none. */
const withOptions = (part: JsonObject, metadata: ProviderMetadata | undefined): JsonObject =>
  metadata === undefined || Object.keys(metadata).length === 0 ? part : { ...part, providerOptions: metadata };
