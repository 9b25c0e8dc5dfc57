import type { JsonObject, JsonValue, MediaPart, MediaSource, Part, ReasoningPart, TextPart } from "@threadfold/core";
import { opaquePart } from "../draft/opaque-part.ts";
import { providerOptions } from "../draft/provider-options.ts";
import { sourceOfUrl } from "../openai-chat/openai-parts.ts";
import { type ForeignObject, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";

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

/** What providers said beside a part: messages for the model call it options, messages for the screen metadata. */
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

/** Version 7 and the prompts of its models say beside the data what kind of data it is. */
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
