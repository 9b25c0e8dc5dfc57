import type { ToolCallPart } from "@threadfold/core";

/**
 * True for a call of one of OpenAI's custom tools: its input is free text and no JSON. Importers keep the item's type, or
 * the field that a chat message has in its place.
 */
export function isFreeTextCall({ providerMetadata }: ToolCallPart): boolean {
  const metadata = providerMetadata?.["openai"];
  return metadata !== undefined && (metadata["type"] === "custom_tool_call" || Object.hasOwn(metadata, "custom"));
}
