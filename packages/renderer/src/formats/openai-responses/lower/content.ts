import type { MediaPart, MediaSource, TextPart } from "@threadfold/core";
import type { ResponsesInputContent, ResponsesInputFile, ResponsesInputImage } from "../wire-types.ts";

/** Text, a picture or a document as input. */
export function lowerContent(part: TextPart | MediaPart): ResponsesInputContent {
  if (part.type === "text") return { type: "input_text", text: part.text };
  return part.type === "image" ? lowerImage(part) : lowerFile(part);
}

const DETAILS: readonly unknown[] = ["auto", "low", "high", "original"];

function lowerImage({ source, providerMetadata }: MediaPart): ResponsesInputImage {
  const detail = providerMetadata?.["openai"]?.["detail"];
  const known = DETAILS.includes(detail) ? (detail as ResponsesInputImage["detail"]) : "auto";
  return source.kind === "file-id"
    ? { type: "input_image", detail: known, file_id: source.fileId }
    : { type: "input_image", detail: known, image_url: urlOf(source) };
}

function lowerFile({ source, name }: MediaPart): ResponsesInputFile {
  switch (source.kind) {
    case "file-id":
      return { type: "input_file", file_id: source.fileId };
    case "url":
      return { type: "input_file", file_url: source.url };
    case "base64":
      return { type: "input_file", filename: name ?? "document", file_data: urlOf(source) };
  }
}

const urlOf = (source: Exclude<MediaSource, { kind: "file-id" }>): string =>
  source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
