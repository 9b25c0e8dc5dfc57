import type { JsonObject, ToolDefinition } from "@threadfold/core";

/** A tool as a language model of the SDK is told of it. `generateText` takes the host's own tool set instead. */
export const lowerTool = ({ name, description, inputSchema }: ToolDefinition): JsonObject => ({
  type: "function",
  name,
  ...(description !== undefined && description !== "" && { description }),
  inputSchema: inputSchema.type === undefined ? { type: "object", ...inputSchema } : inputSchema,
});
