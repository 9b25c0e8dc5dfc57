import type { JsonObject, ToolDefinition } from "@threadfold/core";

export const lowerTool = ({ name, description, inputSchema }: ToolDefinition): JsonObject => ({
  type: "function",
  function: { name, ...(description !== undefined && description !== "" && { description }), parameters: inputSchema },
});
