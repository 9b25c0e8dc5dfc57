import type { JsonObject, JsonValue, Part, TextPart } from "@threadfold/core";
import { partFields } from "./part-fields.ts";

/** One text as a string, several as a list of text parts: joining them would change what was said. */
export function lowerTexts(parts: readonly Part[]): JsonValue {
  const texts = parts.filter((part) => part.type === "text");
  const [first] = texts;
  if (first === undefined) return "";
  const only = texts.length === 1 ? lowerText(first) : undefined;
  return only !== undefined && Object.keys(only).length === 2 ? first.text : texts.map(lowerText);
}

/** A text as a part of its own, with the cache breakpoint that it came with. */
export const lowerText = ({ text, providerMetadata }: TextPart): JsonObject => ({
  type: "text",
  text,
  ...partFields(providerMetadata, "text"),
});
