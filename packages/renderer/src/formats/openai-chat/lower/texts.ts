import type { JsonValue, Part } from "@threadfold/core";

/** One text as a string, several as a list of text parts: joining them would change what was said. */
export function lowerTexts(parts: readonly Part[]): JsonValue {
  const texts = parts.filter((part) => part.type === "text");
  if (texts.length <= 1) return texts[0]?.text ?? "";
  return texts.map(({ text }) => ({ type: "text", text }));
}
