import type { MediaPart, TextPart } from "@threadfold/core";
import { singleLine } from "./single-line.ts";

const MAX_NAME = 80;

/** The text that stands in place of a picture or document. */
export function mediaMarker(
  { type, source, name }: MediaPart,
  why: "cleared" | "left out" | "below the results",
): TextPart {
  const about = [source.mediaType, name].filter((word) => word !== undefined).map((word) => singleLine(word, MAX_NAME));
  return { type: "text", text: `[${type} ${why}${about.length === 0 ? "" : `: ${about.join(", ")}`}]` };
}
