import type { JsonObject, MediaPart, MediaSource } from "@threadfold/core";
import { partFields } from "./part-fields.ts";

/** Names that the API has for kinds of sound. */
const AUDIO_FORMATS: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mp3": "mp3" };

/** A picture, a document or a sound in a user message, with the cache breakpoint that it came with. */
export const lowerMedia = (part: MediaPart): JsonObject => ({
  ...lowerBare(part),
  ...partFields(part.providerMetadata, "media"),
});

function lowerBare({ type, source, name, providerMetadata }: MediaPart): JsonObject {
  if (type === "image")
    return { type: "image_url", image_url: { url: urlOf(source), ...partFields(providerMetadata, "image") } };
  const format = source.kind === "base64" ? AUDIO_FORMATS[source.mediaType] : undefined;
  if (source.kind === "base64" && format !== undefined)
    return { type: "input_audio", input_audio: { data: source.data, format } };
  if (source.kind === "file-id")
    return { type: "file", file: { file_id: source.fileId, ...(name !== undefined && { filename: name }) } };
  return { type: "file", file: { filename: name ?? "document", file_data: urlOf(source) } };
}

function urlOf(source: MediaSource): string {
  switch (source.kind) {
    case "base64":
      return `data:${source.mediaType};base64,${source.data}`;
    case "url":
      return source.url;
    case "file-id":
      return source.fileId;
  }
}
