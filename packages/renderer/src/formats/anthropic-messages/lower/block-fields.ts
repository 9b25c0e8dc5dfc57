import type { JsonObject, Part, ProviderMetadata } from "@threadfold/core";
import { providerFields } from "../../provider-fields.ts";

/** What the API takes on each kind of block beside its content (`@anthropic-ai/sdk`, request types). Thinking takes nothing. */
const BLOCK_FIELDS: Readonly<Record<Exclude<Part["type"], "reasoning" | "opaque">, readonly string[]>> = {
  text: ["cache_control", "citations"],
  image: ["cache_control", "transformations"],
  file: ["cache_control", "citations", "context"],
  "tool-call": ["cache_control", "caller", "toolset_name"],
  "tool-result": ["cache_control", "toolset_name"],
};

/** Adds what Anthropic said about a part when the thread was imported: cache markers, citations, callers. */
export function withBlockFields(
  block: JsonObject,
  type: keyof typeof BLOCK_FIELDS,
  metadata: ProviderMetadata | undefined,
): JsonObject {
  return metadata === undefined ? block : { ...block, ...providerFields(metadata, "anthropic", BLOCK_FIELDS[type]) };
}
