import type { JsonObject, JsonValue, Part, ReasoningPart, ToolCallPart } from "@threadfold/core";
import { opaquePart } from "../draft/opaque-part.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { type ForeignObject, nonEmptyText, objectOf, textOf, withoutUndefined } from "../reading/foreign-value.ts";
import { parseJson } from "../reading/parse-json.ts";
import type { SourcePointer } from "../source-pointer.ts";

/** A block of a user message or a tool result: text or a picture. */
export function piPart(block: unknown): Part {
  const fields = objectOf(block);
  const text = textOf(fields?.text);
  if (fields?.type === "text" && text !== undefined) return { type: "text", text };
  const [data, mediaType] = [textOf(fields?.data), textOf(fields?.mimeType)];
  if (fields?.type === "image" && data !== undefined && mediaType !== undefined) {
    return { type: "image", source: { kind: "base64", mediaType, data } };
  }
  return opaquePart("pi", block);
}

/** The parts of a message's content, which is a string or a list of blocks. */
export function piContentParts(content: unknown): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(piPart);
  return content === undefined || content === null ? [] : [opaquePart("pi", content)];
}

/** The parts of an assistant message. Signatures and item ids belong to the API that the model was called through. */
export function piAssistantParts(message: ForeignObject, draft: SessionDraft, at: SourcePointer): readonly Part[] {
  if (!Array.isArray(message.content)) return piContentParts(message.content);
  const provider = providerOf(message);
  return message.content.map((block: unknown, index): Part => {
    const fields = objectOf(block);
    switch (fields?.type) {
      case "text":
        return readText(fields, provider) ?? opaquePart("pi", block);
      case "thinking":
        return readThinking(fields, provider, message.api);
      case "toolCall":
        return readCall(fields, provider, draft, `call-${at.line}-${index}`);
      default:
        return piPart(block);
    }
  });
}

/**
 * The provider's own id of a call. pi writes calls of OpenAI Responses as `call_…|fc_…`: the id of the call, and that
 * of the item which it came in.
 */
export function splitCallId(id: unknown): { readonly callId: unknown; readonly itemId?: string } {
  const text = textOf(id);
  const bar = text?.startsWith("call_") ? text.indexOf("|") : -1;
  return text === undefined || bar === -1
    ? { callId: id }
    : { callId: text.slice(0, bar), itemId: text.slice(bar + 1) };
}

function providerOf(message: ForeignObject): string {
  const api = textOf(message.api) ?? "";
  if (api.startsWith("anthropic")) return "anthropic";
  if (api.startsWith("google")) return "google";
  if (api.startsWith("openai") || api.startsWith("azure-openai")) return "openai";
  return nonEmptyText(message.provider) ?? "pi";
}

function readText(block: ForeignObject, provider: string): Part | undefined {
  const text = textOf(block.text);
  if (text === undefined) return undefined;
  const textSignature = nonEmptyText(block.textSignature);
  return textSignature === undefined
    ? { type: "text", text }
    : { type: "text", text, providerMetadata: { [provider]: { textSignature } } };
}

function readThinking(block: ForeignObject, provider: string, api: unknown): ReasoningPart {
  const text = textOf(block.thinking) ?? "";
  const signature = nonEmptyText(block.thinkingSignature);
  if (signature === undefined) return { type: "reasoning", text, provider };
  if (block.redacted === true) return { type: "reasoning", text, provider, encrypted: signature };
  // Chat completions sign nothing: there, the field names where in the message the thoughts stood.
  if (api === "openai-completions")
    return { type: "reasoning", text, provider, providerMetadata: { [provider]: { field: signature } } };
  return provider === "openai" ? readReasoningItem(text, signature) : { type: "reasoning", text, provider, signature };
}

/** OpenAI Responses: the signature is the whole reasoning item as JSON, its encrypted content inside. */
function readReasoningItem(text: string, signature: string): ReasoningPart {
  const parsed = parseJson(signature);
  const item = parsed.ok ? objectOf(parsed.value) : undefined;
  if (item === undefined) return { type: "reasoning", text, provider: "openai", signature };
  const encrypted = nonEmptyText(item.encrypted_content);
  return {
    type: "reasoning",
    text,
    provider: "openai",
    ...(encrypted !== undefined && { encrypted }),
    providerMetadata: { openai: { item: item as JsonObject } },
  };
}

function readCall(block: ForeignObject, provider: string, draft: SessionDraft, standIn: string): ToolCallPart {
  const toolName = textOf(block.name) ?? "";
  const { callId, itemId } = splitCallId(block.id);
  const thoughtSignature = nonEmptyText(block.thoughtSignature);
  const hasMetadata = itemId !== undefined || thoughtSignature !== undefined;
  return {
    type: "tool-call",
    callId: draft.calls.open(callId, toolName, standIn),
    toolName,
    input: (block.arguments ?? {}) as JsonValue,
    ...(hasMetadata && {
      providerMetadata: { [provider]: withoutUndefined<JsonObject>({ itemId, thoughtSignature }) },
    }),
  };
}
