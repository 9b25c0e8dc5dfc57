import type { MediaSource, Part } from "@threadfold/core";
import { opaquePart } from "../draft/opaque-part.ts";
import { providerExtras } from "../draft/provider-extras.ts";
import { refusalPart, sourceOfUrl } from "../openai-chat/openai-parts.ts";
import { type ForeignObject, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";

type ReadBlock = (block: ForeignObject) => Part | undefined;

const TEXT_FIELDS = new Set(["type", "text"]);
const IMAGE_FIELDS = new Set(["type", "image_url", "file_id"]);
const FILE_FIELDS = new Set(["type", "file_data", "file_url", "file_id", "filename"]);

/** How each kind of content becomes a part. A map and not an object, for the kind comes from the log. */
const READERS: ReadonlyMap<unknown, ReadBlock> = new Map<string, ReadBlock>([
  ["input_text", readText],
  ["output_text", readText],
  ["text", readText],
  ["refusal", (block) => refusalPart(block.refusal)],
  ["input_image", readImage],
  ["input_file", readFile],
]);

/** One piece of content of the OpenAI Responses API as a part. What has no part of its own becomes an opaque one. */
export function responsePart(block: unknown): Part {
  const fields = objectOf(block);
  return (fields && READERS.get(fields.type)?.(fields)) ?? opaquePart("openai", block);
}

/**
 * The parts of an item's content: a string is one text. A picture that the log left out, so that neither its bytes nor
 * where they are is known, gives no part.
 */
export function responseParts(content: unknown): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.filter((block) => !isMissingImage(block)).map(responsePart);
  return content === undefined || content === null ? [] : [responsePart(content)];
}

function isMissingImage(block: unknown): boolean {
  const fields = objectOf(block);
  return fields?.type === "input_image" && fields.image_url === null && (fields.file_id ?? null) === null;
}

function readText(block: ForeignObject): Part | undefined {
  const text = textOf(block.text);
  return text === undefined ? undefined : { type: "text", text, ...extrasOf(block, TEXT_FIELDS) };
}

function readImage(block: ForeignObject): Part | undefined {
  const [url, fileId] = [textOf(block.image_url), textOf(block.file_id)];
  const source: MediaSource | undefined =
    url !== undefined ? sourceOfUrl(url) : fileId !== undefined ? { kind: "file-id", fileId } : undefined;
  return source && { type: "image", source, ...extrasOf(block, IMAGE_FIELDS) };
}

function readFile(block: ForeignObject): Part | undefined {
  const [data, url, fileId] = [textOf(block.file_data), textOf(block.file_url), textOf(block.file_id)];
  const name = nonEmptyText(block.filename);
  const address = data ?? url;
  const source: MediaSource | undefined =
    address !== undefined ? sourceOfUrl(address) : fileId !== undefined ? { kind: "file-id", fileId } : undefined;
  return source && { type: "file", source, ...(name && { name }), ...extrasOf(block, FILE_FIELDS) };
}

/** What else the block says, but for the empty lists that every text carries. */
function extrasOf(block: ForeignObject, known: ReadonlySet<string>): ReturnType<typeof providerExtras> {
  const isEmpty = (field: string) => Array.isArray(block[field]) && (block[field] as readonly unknown[]).length === 0;
  return providerExtras("openai", block, new Set([...known, ...["annotations", "logprobs"].filter(isEmpty)]));
}
