import type { MediaPart, MediaSource, TextPart } from "@threadfold/core";
import { providerFields } from "../../provider-fields.ts";
import type { ResponsesInputContent, ResponsesInputFile, ResponsesInputImage } from "../wire-types.ts";

/** Text, a picture or a document as input, with the cache breakpoint that it came with. */
export function lowerContent(part: TextPart | MediaPart): ResponsesInputContent {
  const { prompt_cache_breakpoint: mark } = providerFields(part.providerMetadata, "openai", MARK);
  const content = lowerBare(part);
  return mark === undefined ? content : ({ ...content, prompt_cache_breakpoint: mark } as ResponsesInputContent);
}

/** What is said together: one text without a breakpoint as it is, anything else as a list. */
export function lowerContents(said: readonly (TextPart | MediaPart)[]): string | readonly ResponsesInputContent[] {
  const [first] = said;
  const content = said.map(lowerContent);
  return said.length === 1 && first?.type === "text" && content[0]?.prompt_cache_breakpoint === undefined
    ? first.text
    : content;
}

const MARK = ["prompt_cache_breakpoint"] as const;

function lowerBare(part: TextPart | MediaPart): ResponsesInputContent {
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
