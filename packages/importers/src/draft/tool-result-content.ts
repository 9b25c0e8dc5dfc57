import type { JsonValue, MediaPart, Part, TextPart, ToolResultContent } from "@threadfold/core";

/**
 * The body of a tool result from what a log holds: text stays text, and so does a list of one plain text block; other
 * lists of text and media become blocks; anything else is kept as the JSON that it is.
 *
 * @param toPart reads one block as a part.
 */
export function toolResultContent(content: unknown, toPart: (block: unknown) => Part): ToolResultContent {
  if (typeof content === "string") return { type: "text", text: content };
  if (content === undefined || content === null) return { type: "text", text: "" };
  if (!Array.isArray(content)) return { type: "json", value: content as JsonValue };
  const parts = content.map(toPart);
  if (!parts.every(isTextOrMedia)) return { type: "json", value: content as JsonValue };
  const [first] = parts;
  if (first === undefined) return { type: "text", text: "" };
  const isPlainText = parts.length === 1 && first.type === "text" && first.providerMetadata === undefined;
  return isPlainText ? { type: "text", text: first.text } : { type: "blocks", blocks: parts };
}

const isTextOrMedia = (part: Part): part is TextPart | MediaPart =>
  part.type === "text" || part.type === "image" || part.type === "file";
