import type { JsonObject, ToolDefinition } from "@threadfold/core";
import { providerFields } from "../../provider-fields.ts";

const TOOL_FIELDS = [
  "type",
  "cache_control",
  "strict",
  "defer_loading",
  "allowed_callers",
  "input_examples",
  "eager_input_streaming",
] as const;

/** The API insists on a schema of type object. A tool that runs at the provider has a type of its own and no schema. */
export function lowerTool({ name, description, inputSchema, providerMetadata }: ToolDefinition): JsonObject {
  const own = providerMetadata?.anthropic;
  if (typeof own?.type === "string" && own.type !== "custom") return { ...own, name };
  return {
    name,
    ...(description !== undefined && description !== "" && { description }),
    input_schema: inputSchema.type === undefined ? { type: "object", ...inputSchema } : inputSchema,
    ...providerFields(providerMetadata, "anthropic", TOOL_FIELDS),
  };
}
