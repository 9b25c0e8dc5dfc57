import type {
  JsonObject,
  JsonValue,
  MediaPart,
  MediaSource,
  Part,
  ReasoningPart,
  SystemEntry,
  TextPart,
  ToolCallPart,
  ToolOutcomeStatus,
  ToolResultContent,
  ToolResultPart,
} from "@threadfold/core";
import { sourceOfUrl } from "../openai-chat/openai-parts.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { opaquePart, providerOptions, toolResultContent } from "../session/shared-readers.ts";

type ReadPart = (part: ForeignObject) => Part | undefined;

/** The reader for each kind of content part. A map rather than an object, because the kind comes from the log. */
const READERS: ReadonlyMap<unknown, ReadPart> = new Map<string, ReadPart>([
  ["text", readText],
  ["reasoning", readReasoning],
  ["redacted-reasoning", readReasoning],
  ["image", readImage],
  ["file", readFile],
  ["custom", readCustom],
]);

/** Reads a part of an AI SDK message. A part without an equivalent in core becomes an opaque one. */
export function aiSdkPart(part: unknown): Part {
  const fields = objectOf(part);
  return (fields && READERS.get(fields.type)?.(fields)) ?? opaquePart("ai-sdk", part);
}

/** Reads the parts of a message's content; a string is a single text. */
export function aiSdkParts(content: unknown): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(aiSdkPart);
  return content === undefined || content === null ? [] : [opaquePart("ai-sdk", content)];
}

/** Provider-specific data of a part: model messages call it options, UI messages metadata. */
export const metadataOf = (part: ForeignObject): ReturnType<typeof providerOptions> =>
  providerOptions(part.providerOptions ?? part.providerMetadata ?? part.callProviderMetadata);

/**
 * Reads a text, or a compaction that ran at Anthropic, which the AI SDK represents as text: it becomes the original
 * block again.
 */
function readText(part: ForeignObject): Part | undefined {
  const text = textOf(part.text);
  if (text === undefined) return undefined;
  const { providerMetadata } = metadataOf(part);
  if (providerMetadata?.anthropic?.type === "compaction") {
    const { type: _type, ...more } = providerMetadata.anthropic;
    return opaquePart("anthropic", { type: "compaction", content: text, ...more });
  }
  return { type: "text", text, ...(providerMetadata && { providerMetadata }) } satisfies TextPart;
}

function readReasoning(part: ForeignObject): ReasoningPart {
  const { providerMetadata } = metadataOf({ providerOptions: signedBefore(part), ...part });
  const [provider, own] = Object.entries(providerMetadata ?? {})[0] ?? [];
  const signature = nonEmptyText(own?.signature) ?? nonEmptyText(own?.thoughtSignature);
  const encrypted = nonEmptyText(own?.reasoningEncryptedContent) ?? nonEmptyText(own?.redactedData);
  return {
    type: "reasoning",
    text: textOf(part.text) ?? "",
    ...(provider !== undefined && { provider }),
    ...(signature !== undefined && { signature }),
    ...(encrypted !== undefined && { encrypted }),
    ...(providerMetadata && { providerMetadata }),
  };
}

/** In version 4, only Anthropic signed thoughts, and the part itself had the signature. */
function signedBefore({ signature, data }: ForeignObject): unknown {
  if (nonEmptyText(data) !== undefined) return { anthropic: { redactedData: data } };
  return nonEmptyText(signature) === undefined ? undefined : { anthropic: { signature } };
}

/** Reads a provider's own item: a compaction of OpenAI becomes the original item again. */
function readCustom(part: ForeignObject): Part | undefined {
  if (part.kind !== "openai.compaction") return undefined;
  const { itemId, encryptedContent, ...more } = metadataOf(part).providerMetadata?.openai ?? {};
  const item: Record<string, JsonValue> = { type: "compaction", ...more };
  if (itemId !== undefined) item.id = itemId;
  if (encryptedContent !== undefined) item.encrypted_content = encryptedContent;
  return opaquePart("openai", item satisfies JsonObject);
}

function readImage(part: ForeignObject): MediaPart | undefined {
  const source = mediaSource(part.image, textOf(part.mediaType) ?? textOf(part.mimeType) ?? "image/*");
  return source && { type: "image", source, ...metadataOf(part) };
}

function readFile(part: ForeignObject): MediaPart | undefined {
  const mediaType = textOf(part.mediaType) ?? textOf(part.mimeType);
  const source = mediaSource(part.url ?? bareData(part.data), mediaType ?? "application/octet-stream");
  const name = nonEmptyText(part.filename);
  const type = mediaType?.startsWith("image/") === true ? "image" : "file";
  return source && { type, source, ...(name !== undefined && { name }), ...metadataOf(part) };
}

/** In version 7, and in prompts for its models, data is tagged with its kind. */
function bareData(data: unknown): unknown {
  const tagged = objectOf(data);
  return tagged?.type === "data" ? tagged.data : tagged?.type === "url" ? tagged.url : data;
}

/** The source of a media value: a URL, or bytes in Base64. */
function mediaSource(value: unknown, mediaType: string): MediaSource | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  return /^[a-z][a-z0-9+.-]*:/i.test(text.slice(0, 40)) ? sourceOfUrl(text) : { kind: "base64", mediaType, data: text };
}

/** Output types that indicate failure. */
const FAILURES = new Set(["error-text", "error-json", "execution-denied"]);

/** Reads a tool call. Versions before 5 call its input `args`. */
export function aiSdkCall(part: ForeignObject, toolName: string, draft: SessionDraft, standIn: string): ToolCallPart {
  return {
    type: "tool-call",
    callId: draft.calls.open(part.toolCallId, toolName, standIn),
    toolName,
    input: (part.input ?? part.rawInput ?? part.args ?? {}) as JsonValue,
    ...metadataOf(part),
  };
}

/** Reads a tool result in a message with the role `tool`. Versions before 5 call its output `result`. */
export function aiSdkResult(
  part: ForeignObject,
  draft: SessionDraft,
  at: SourcePointer,
  index: number,
): ToolResultPart {
  const standIn = `result-${at.line}${at.path ?? ""}-${index}`;
  const output = objectOf(part.output);
  const failed = FAILURES.has(textOf(output?.type) ?? "") || part.isError === true;
  return {
    type: "tool-result",
    result: {
      ...draft.calls.answer(part.toolCallId, textOf(part.toolName), standIn),
      outcome: failed ? "failure" : "success",
      content: output === undefined ? toolResultContent(part.output ?? part.result, aiSdkPart) : outputContent(output),
    },
    ...metadataOf(part),
  };
}

/** The result in a tool part of a UI message; undefined while there is none. */
export function uiResult(
  part: ForeignObject,
): { readonly outcome: ToolOutcomeStatus; readonly content: ToolResultContent } | undefined {
  const state = textOf(part.state);
  if (state === "output-available" || state === "result" || (state === undefined && part.result !== undefined))
    return {
      outcome: part.preliminary === true ? "partial" : "success",
      content: toolResultContent(part.output ?? part.result, aiSdkPart),
    };
  if (state === "output-error")
    return { outcome: "failure", content: { type: "text", text: textOf(part.errorText) ?? "" } };
  if (state !== "output-denied") return undefined;
  return { outcome: "failure", content: { type: "text", text: textOf(objectOf(part.approval)?.reason) ?? "" } };
}

function outputContent(output: ForeignObject): ToolResultContent {
  switch (output.type) {
    case "text":
    case "error-text":
      return { type: "text", text: textOf(output.value) ?? "" };
    case "json":
    case "error-json":
      return { type: "json", value: (output.value ?? null) as JsonValue };
    case "content":
      return toolResultContent((listOf(output.value) ?? []).map(contentBlock), aiSdkPart);
    case "execution-denied":
      return { type: "text", text: textOf(output.reason) ?? "" };
    default:
      return { type: "json", value: output as JsonValue };
  }
}

/** Converts media in an output to a message part: several names are in use for the same thing. */
function contentBlock(value: unknown): unknown {
  const block = objectOf(value);
  const type = textOf(block?.type);
  if (block === undefined || type === undefined || type === "text") return value;
  if (type.startsWith("image")) return { ...block, type: "image", image: block.data ?? block.url };
  return type === "media" || type.startsWith("file") ? { ...block, type: "file" } : value;
}

/** Reads the instructions of a call: a text, a system message or a list of them, each with provider options. */
export const aiSdkSystem = (instructions: unknown): readonly SystemEntry[] =>
  (listOf(instructions) ?? [instructions]).flatMap((value): readonly SystemEntry[] => {
    const message = objectOf(value);
    const text = nonEmptyText(message === undefined ? value : message.content)?.toWellFormed();
    if (text === undefined) return [];
    const { providerMetadata } = message === undefined ? {} : metadataOf(message);
    return [providerMetadata === undefined ? text : { text, providerMetadata }];
  });

/** Checks whether one of the parts is a compaction that ran at the provider. */
export const compactionIn = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.type === "opaque" && objectOf(part.value)?.type === "compaction");
