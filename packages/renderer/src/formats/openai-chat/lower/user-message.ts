import type { ChatMessage, JsonObject, JsonValue } from "@threadfold/core";
import { lowerMedia } from "./media.ts";
import { lowerText, lowerTexts } from "./texts.ts";

/** A user or system message: one text as it is, more than that as a list. */
export function lowerSpeech({ role, parts }: ChatMessage): JsonObject {
  const hasMedia = parts.some((part) => part.type === "image" || part.type === "file");
  if (!hasMedia) return { role, content: lowerTexts(parts) };
  const content = parts.flatMap((part): readonly JsonValue[] => {
    if (part.type === "text") return [lowerText(part)];
    return part.type === "image" || part.type === "file" ? [lowerMedia(part)] : [];
  });
  return { role, content };
}
