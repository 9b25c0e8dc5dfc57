import type { JsonObject, ProviderMetadata } from "@threadfold/core";
import { providerFields } from "../../provider-fields.ts";

/**
 * What the API, or a server that speaks it, takes on messages and on each kind of part beside their content: OpenAI's breakpoints of the
 * prompt cache and levels of detail (`openai`, request types), and what Gemini's compatible endpoint wants back on a call.
 */
const PART_FIELDS = {
  message: ["name"],
  text: ["prompt_cache_breakpoint"],
  image: ["detail"],
  media: ["prompt_cache_breakpoint"],
  call: ["extra_content"],
  tool: ["strict"],
} as const;

/** The fields that came with a message or part when the thread was imported. */
export const partFields = (metadata: ProviderMetadata | undefined, kind: keyof typeof PART_FIELDS): JsonObject =>
  providerFields(metadata, "openai", PART_FIELDS[kind]);

/** True for the text of a refusal, which importers keep as text that remembers what it was. */
export const isRefusal = (metadata: ProviderMetadata | undefined): boolean => metadata?.openai?.refusal === true;
