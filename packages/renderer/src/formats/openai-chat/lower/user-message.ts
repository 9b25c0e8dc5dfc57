import type { ChatMessage, JsonObject, JsonValue } from "@threadfold/core";
import { systemRole } from "../../../neutral/system-role.ts";
import { lowerMedia } from "./media.ts";
import { partFields } from "./part-fields.ts";
import { lowerText, lowerTexts } from "./texts.ts";

/** A user or system message: one text as it is, more than that as a list. */
export function lowerSpeech({ role: speaker, parts, providerMetadata }: ChatMessage): JsonObject {
  const role = speaker === "system" ? (systemRole(providerMetadata) ?? speaker) : speaker;
  const name = partFields(providerMetadata, "message");
  const hasMedia = parts.some((part) => part.type === "image" || part.type === "file");
  if (!hasMedia) return { role, content: lowerTexts(parts), ...name };
  const content = parts.flatMap((part): readonly JsonValue[] => {
    if (part.type === "text") return [lowerText(part)];
    return part.type === "image" || part.type === "file" ? [lowerMedia(part)] : [];
  });
  return { role, content, ...name };
}
