import type { JsonObject, ToolDefinition } from "@threadfold/core";
import { partFields } from "./part-fields.ts";

export const lowerTool = ({ name, description, inputSchema, providerMetadata }: ToolDefinition): JsonObject => ({
  type: "function",
  function: {
    name,
    ...(description !== undefined && description !== "" && { description }),
    parameters: inputSchema,
    ...partFields(providerMetadata, "tool"),
  },
});
