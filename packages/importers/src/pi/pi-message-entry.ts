import {
  type MediaPart,
  type Message,
  type Part,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import type { ExportNotes } from "../exporting/session-exporter.ts";
import { objectOf, textOf } from "../reading/foreign-value.ts";

/**
 * Converts a message to a pi entry, without its place in the tree; undefined for a message that the format cannot
 * represent.
 */
export function piMessageEntry(message: Message, notes: ExportNotes): object | undefined {
  const { role, parts, createdAt } = message;
  const timestamp = Date.parse(createdAt);
  switch (role) {
    case "user":
      return { type: "message", timestamp: createdAt, message: { role, content: piContent(parts, notes), timestamp } };
    case "assistant":
      return { type: "message", timestamp: createdAt, message: assistantMessage(message, timestamp, notes) };
    case "tool": {
      const result = parts.find((part): part is ToolResultPart => part.type === "tool-result");
      return result && { type: "message", timestamp: createdAt, message: resultMessage(result, timestamp, notes) };
    }
    case "system":
      notes.add("left-out-system");
      return undefined;
  }
}

function resultMessage(part: ToolResultPart, timestamp: number, notes: ExportNotes): object {
  const { toolName, outcome } = part.result;
  return {
    role: "toolResult",
    toolCallId: piCallId(part),
    toolName,
    content: piContent([part], notes),
    isError: outcome === "failure",
    timestamp,
  };
}

function assistantMessage({ parts, model, usage, metadata }: Message, timestamp: number, notes: ExportNotes): object {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  const { api, provider, stopReason } = objectOf(metadata) ?? {};
  return {
    role: "assistant",
    content: piContent(parts, notes),
    api: textOf(api) ?? apiOf(parts),
    provider: textOf(provider) ?? providerOf(parts),
    model: model ?? "unknown",
    usage: {
      input: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
      output: outputTokens,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
      totalTokens: inputTokens + outputTokens,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: textOf(stopReason) ?? (parts.some(({ type }) => type === "tool-call") ? "toolUse" : "stop"),
    timestamp,
  };
}

/** The provider that signed part of the message or added metadata to one of its parts. */
function providerOf(parts: readonly Part[]): string {
  const named = parts.flatMap((part) => {
    if (part.type === "reasoning" && part.provider !== undefined) return part.provider;
    return part.type === "opaque" ? [] : Object.keys(part.providerMetadata ?? {});
  });
  return named[0] ?? "unknown";
}

const APIS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "anthropic-messages"],
  ["openai", "openai-responses"],
  ["google", "google-generative-ai"],
]);

const apiOf = (parts: readonly Part[]): string => APIS.get(providerOf(parts)) ?? "unknown";

/** Converts parts to content as pi writes it: the reverse of what its importer does. */
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

/** pi writes the id of an OpenAI item after that of the call. */
function piCallId(part: ToolCallPart | ToolResultPart): string {
  const callId = part.type === "tool-call" ? part.callId : part.result.callId;
  const { itemId } = metadataOf(part, "itemId");
  return itemId === undefined ? callId : `${callId}|${itemId}`;
}

/** Returns one field of a part's provider metadata, whichever provider set it. */
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
