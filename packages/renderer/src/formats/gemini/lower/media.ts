import type { MediaPart } from "@threadfold/core";
import type { GeminiMedia } from "../wire-types.ts";

/** A picture or document: its bytes, or where they are. A file id is its URI. */
export function lowerMedia({ source }: MediaPart): GeminiMedia {
  switch (source.kind) {
    case "base64":
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case "url":
      return { fileData: { mimeType: source.mediaType ?? UNKNOWN, fileUri: source.url } };
    case "file-id":
      return { fileData: { mimeType: source.mediaType ?? UNKNOWN, fileUri: source.fileId } };
  }
}

const UNKNOWN = "application/octet-stream";
