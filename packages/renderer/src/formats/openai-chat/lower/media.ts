import type { JsonObject, MediaPart, MediaSource } from "@threadfold/core";

/** A picture or a document in a user message. */
export function lowerMedia({ type, source, name }: MediaPart): JsonObject {
  if (type === "image") return { type: "image_url", image_url: { url: urlOf(source) } };
  if (source.kind === "file-id") return { type: "file", file: { file_id: source.fileId } };
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
