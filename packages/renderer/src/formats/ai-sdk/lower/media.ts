import type { JsonObject, MediaPart, MediaSource } from "@threadfold/core";
import { withOptions } from "./provider-options.ts";

/** A picture or document: a file part, whose data is base64 text or a URL as text. */
export function lowerMedia({ type, source, name, providerMetadata }: MediaPart): JsonObject {
  const part = { type: "file", data: dataOf(source), mediaType: mediaTypeOf(type, source) };
  return withOptions({ ...part, ...(name !== undefined && { filename: name }) }, providerMetadata);
}

/** The same in the output of a tool, where bytes and URLs are parts of their own. */
export function lowerResultMedia({ type, source, name }: MediaPart): JsonObject {
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

/** The SDK asks for a media type; a picture of unknown type may say that it is one. */
function mediaTypeOf(type: MediaPart["type"], source: MediaSource): string {
  if (source.mediaType !== undefined) return source.mediaType;
  if (type === "image") return "image/*";
  return source.kind === "url" && /\.pdf(?:[?#]|$)/i.test(source.url) ? "application/pdf" : "application/octet-stream";
}
