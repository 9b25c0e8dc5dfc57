import type { JsonObject, ReasoningPart } from "@threadfold/core";
import { type ForeignObject, listOf, nonEmptyText, objectOf } from "../reading/foreign-value.ts";

/**
 * A reasoning item as a part: its summary, or else its plain content, as text. The whole item goes along, for it must
 * go back to the provider as it came.
 */
export function responseReasoning(item: ForeignObject): ReasoningPart {
  const encrypted = nonEmptyText(item.encrypted_content);
  return {
    type: "reasoning",
    text: textsOf(item.summary) || textsOf(item.content),
    provider: "openai",
    ...(encrypted !== undefined && { encrypted }),
    providerMetadata: { openai: { item: item as JsonObject } },
  };
}

const textsOf = (blocks: unknown): string =>
  (listOf(blocks) ?? []).flatMap((block) => nonEmptyText(objectOf(block)?.text) ?? []).join("\n\n");
