import type { JsonObject, ToolDefinition } from "@threadfold/core";
import type { GeminiFunctionDeclaration } from "../wire-types.ts";

/**
 * A tool with its schema as JSON Schema, which the API takes whole and heeds in part; its older `parameters` field refuses
 * what is no OpenAPI. A function without parameters has none.
 */
export const lowerTool = ({ name, description, inputSchema }: ToolDefinition): GeminiFunctionDeclaration => ({
  name,
  ...(description !== undefined && description !== "" && { description }),
  ...(!takesNothing(inputSchema) && {
    parametersJsonSchema: inputSchema.type === undefined ? { type: "object", ...inputSchema } : inputSchema,
  }),
});

function takesNothing({ type: _type, $schema: _schema, ...schema }: JsonObject): boolean {
  return Object.values(schema).every((value) => value !== true && Object.keys(Object(value)).length === 0);
}
