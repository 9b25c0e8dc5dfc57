import type { JsonObject, JsonValue, MediaPart, MediaSource, Part, ReasoningPart } from "@threadfold/core";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import { opaquePart, providerExtras } from "../session/shared-readers.ts";

type ReadBlock = (block: ForeignObject) => Part | undefined;

const TEXT_FIELDS = new Set(["type", "text"]);
const FILE_FIELDS = new Set(["file_data", "file_id", "filename"]);
const MEDIA_FIELDS = ["type", "image_url", "input_audio", "file"] as const;
const NONE: ReadonlySet<string> = new Set();
const IMAGE_FIELDS = new Set(["url"]);
const DATA_URL = /^data:([^;,]+);base64,/;

/** The reader for each block type. A map rather than an object, because the type comes from the log. */
const READERS: ReadonlyMap<unknown, ReadBlock> = new Map<string, ReadBlock>([
  ["text", readText],
  ["refusal", (block) => refusalPart(block.refusal)],
  ["image_url", readImage],
  ["input_audio", readAudio],
  ["file", readFile],
]);

/** Converts a content part of the OpenAI Chat API. A part without an equivalent in core becomes an opaque one. */
export function openaiPart(block: unknown): Part {
  const fields = objectOf(block);
  return (fields && READERS.get(fields.type)?.(fields)) ?? opaquePart("openai", block);
}

/** Returns the parts of a message's content: a string is a single text, null is no content. */
export function openaiContentParts(content: unknown): Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(openaiPart);
  return content === undefined || content === null ? [] : [opaquePart("openai", content)];
}

/** Converts a refusal to a text part that is marked as a refusal. */
export function refusalPart(refusal: unknown): Part | undefined {
  const text = textOf(refusal);
  return text === undefined ? undefined : { type: "text", text, providerMetadata: { openai: { refusal: true } } };
}

/** Reads thoughts that servers of open models send next to the content, in one of two fields, or in their details. */
export function reasoningParts(message: ForeignObject, provider: string): readonly ReasoningPart[] {
  const told = ["reasoning_content", "reasoning"].find((field) => nonEmptyText(message[field]) !== undefined);
  const field = told ?? "reasoning";
  const text = told === undefined ? detailedText(message.reasoning_details) : (textOf(message[told]) ?? "");
  return text === "" ? [] : [{ type: "reasoning", text, provider, providerMetadata: { openai: { field } } }];
}

/** The readable thoughts among the details of a router. */
const detailedText = (details: unknown): string =>
  (listOf(details) ?? [])
    .flatMap((detail) => nonEmptyText(objectOf(detail)?.text) ?? nonEmptyText(objectOf(detail)?.summary) ?? [])
    .join("\n");

/** What routers and providers put beside an answer, and want back with it. */
const BESIDE = ["reasoning_details", "thinking_blocks", "annotations"];

/** Collects the lists beside an answer that are not empty. */
export function besideAnswer(message: ForeignObject): JsonObject {
  const lists = BESIDE.filter((field) => (listOf(message[field]) ?? []).length > 0);
  return Object.fromEntries(lists.map((field) => [field, message[field] as JsonValue]));
}

/**
 * Reads a spoken answer as its words. A request names audio only by its id, without the words; its record in a log says
 * until when the provider knows that id.
 */
export function audioPart(audio: unknown): readonly Part[] {
  const { id, transcript, expires_at } = objectOf(audio) ?? {};
  const [named, text = "[audio]"] = [nonEmptyText(id), nonEmptyText(transcript)];
  if (named === undefined) return text === "[audio]" ? [] : [{ type: "text", text }];
  const expiry = transcript === undefined ? {} : { expires_at: (expires_at ?? null) as JsonValue };
  return [{ type: "text", text, providerMetadata: { openai: { audio: { id: named, ...expiry } } } }];
}

function readText(block: ForeignObject): Part | undefined {
  const text = textOf(block.text);
  return text === undefined ? undefined : { type: "text", text, ...providerExtras("openai", block, TEXT_FIELDS) };
}

function readImage(block: ForeignObject): MediaPart | undefined {
  const image = objectOf(block.image_url);
  const url = textOf(image?.url);
  if (image === undefined || url === undefined) return undefined;
  return { type: "image", source: sourceOfUrl(url), ...mediaExtras(block, image, IMAGE_FIELDS) };
}

function readAudio(block: ForeignObject): MediaPart | undefined {
  const audio = objectOf(block.input_audio);
  const [data, format] = [textOf(audio?.data), textOf(audio?.format)];
  if (data === undefined || format === undefined) return undefined;
  return {
    type: "file",
    source: { kind: "base64", mediaType: `audio/${format}`, data },
    ...mediaExtras(block, {}, NONE),
  };
}

function readFile(block: ForeignObject): MediaPart | undefined {
  const file = objectOf(block.file);
  const [data, fileId, name] = [textOf(file?.file_data), textOf(file?.file_id), textOf(file?.filename)];
  const source: MediaSource | undefined =
    data !== undefined ? sourceOfUrl(data) : fileId !== undefined ? { kind: "file-id", fileId } : undefined;
  if (file === undefined || source === undefined) return undefined;
  return { type: "file", source, ...(name !== undefined && { name }), ...mediaExtras(block, file, FILE_FIELDS) };
}

/** Fields next to the medium, such as a cache breakpoint, and fields inside it. */
function mediaExtras(block: ForeignObject, media: ForeignObject, known: ReadonlySet<string>) {
  return providerExtras("openai", { ...block, ...media }, new Set([...MEDIA_FIELDS, ...known]));
}

/** Returns the source of a URL; a data URL contains the bytes themselves. */
export function sourceOfUrl(url: string): MediaSource {
  const match = DATA_URL.exec(url.slice(0, 200));
  if (match?.[1] === undefined) return { kind: "url", url };
  return { kind: "base64", mediaType: match[1], data: url.slice(match[0].length) };
}
