import type { JsonObject, MediaPart, MediaSource } from "@threadfold/core";
import { withBlockFields } from "./block-fields.ts";

/** A picture or a document. */
export function lowerMedia({ type, source, name, providerMetadata }: MediaPart): JsonObject {
  if (type === "image") return withBlockFields({ type: "image", source: lowerSource(source) }, type, providerMetadata);
  const document = { type: "document", source: lowerSource(source), ...(name !== undefined && { title: name }) };
  return withBlockFields(document, type, providerMetadata);
}

function lowerSource(source: MediaSource): JsonObject {
  switch (source.kind) {
    case "base64":
      return source.mediaType === "text/plain"
        ? { type: "text", media_type: source.mediaType, data: decodeText(source.data) }
        : { type: "base64", media_type: source.mediaType, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    case "file-id":
      return { type: "file", file_id: source.fileId };
  }
}

/** Plain-text documents travel as text. Bytes that are no UTF-8 become U+FFFD. */
const decodeText = (base64: string): string => new TextDecoder().decode(Buffer.from(base64, "base64"));
