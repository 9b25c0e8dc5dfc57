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

/** How each kind of part is read that says something. A map and not an object, for the kind comes from the log. */
const READERS: ReadonlyMap<unknown, ReadPart> = new Map<string, ReadPart>([
  ["text", readText],
  ["reasoning", readReasoning],
  ["image", readImage],
  ["file", readFile],
  ["custom", readCustom],
]);

/** A part of a message of the AI SDK. What has no part of its own becomes an opaque one. */
export function aiSdkPart(part: unknown): Part {
  const fields = objectOf(part);
  return (fields && READERS.get(fields.type)?.(fields)) ?? opaquePart("ai-sdk", part);
}

/** The parts of a content: a string is one text. */
export function aiSdkParts(content: unknown): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(aiSdkPart);
  return content === undefined || content === null ? [] : [opaquePart("ai-sdk", content)];
}

/** What providers say of a part: messages for the model call it options, messages for the screen metadata. */
export const metadataOf = (part: ForeignObject): ReturnType<typeof providerOptions> =>
  providerOptions(part.providerOptions ?? part.providerMetadata ?? part.callProviderMetadata);

/** A text, or a compaction that ran at Anthropic, which the AI SDK shows as one: it goes back as the block that it was. */
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
  const { providerMetadata } = metadataOf(part);
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

/** A provider's own item: a compaction of OpenAI comes back as the item that it was. */
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

/** Version 7 and the prompts of its models say next to the data what kind of data it is. */
function bareData(data: unknown): unknown {
  const tagged = objectOf(data);
  return tagged?.type === "data" ? tagged.data : tagged?.type === "url" ? tagged.url : data;
}

/** A URL, or the bytes in base 64. */
function mediaSource(value: unknown, mediaType: string): MediaSource | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  return /^[a-z][a-z0-9+.-]*:/i.test(text.slice(0, 40)) ? sourceOfUrl(text) : { kind: "base64", mediaType, data: text };
}

/** Kinds of output that mean a failure. */
const FAILURES = new Set(["error-text", "error-json", "execution-denied"]);

/** A call of a tool. Versions before 5 call its input `args`. */
export function aiSdkCall(part: ForeignObject, toolName: string, draft: SessionDraft, standIn: string): ToolCallPart {
  return {
    type: "tool-call",
    callId: draft.calls.open(part.toolCallId, toolName, standIn),
    toolName,
    input: (part.input ?? part.rawInput ?? part.args ?? {}) as JsonValue,
    ...metadataOf(part),
  };
}

/** The result of a call in a message of role tool. Versions before 5 have it as `result`. */
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

/** What a tool part of a message for the screen says of its result; undefined while there is none. */
export function uiResult(
  part: ForeignObject,
): { readonly outcome: ToolOutcomeStatus; readonly content: ToolResultContent } | undefined {
  const state = textOf(part.state);
  if (state === "output-available" || state === "result")
    return { outcome: "success", content: toolResultContent(part.output ?? part.result, aiSdkPart) };
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

/** Media in an output, as the parts that messages have: several names are in use for one thing. */
function contentBlock(value: unknown): unknown {
  const block = objectOf(value);
  const type = textOf(block?.type);
  if (block === undefined || type === undefined || type === "text") return value;
  if (type.startsWith("image")) return { ...block, type: "image", image: block.data ?? block.url };
  return type === "media" || type.startsWith("file") ? { ...block, type: "file" } : value;
}

/** The instructions of a call: a text, a system message or a list of them, each with options of providers. */
export const aiSdkSystem = (instructions: unknown): readonly SystemEntry[] =>
  (listOf(instructions) ?? [instructions]).flatMap((value): readonly SystemEntry[] => {
    const message = objectOf(value);
    const text = nonEmptyText(message === undefined ? value : message.content)?.toWellFormed();
    if (text === undefined) return [];
    const { providerMetadata } = message === undefined ? {} : metadataOf(message);
    return [providerMetadata === undefined ? text : { text, providerMetadata }];
  });

/** Says whether one of the parts is a compaction that ran at the provider. */
export const compactionIn = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.type === "opaque" && objectOf(part.value)?.type === "compaction");
