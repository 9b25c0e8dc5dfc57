import type { JsonObject, ToolDefinition } from "@threadfold/core";

/** The API insists on a schema of type object. */
export const lowerTool = ({ name, description, inputSchema }: ToolDefinition): JsonObject => ({
  name,
  ...(description !== undefined && description !== "" && { description }),
  input_schema: inputSchema.type === undefined ? { type: "object", ...inputSchema } : inputSchema,
});
