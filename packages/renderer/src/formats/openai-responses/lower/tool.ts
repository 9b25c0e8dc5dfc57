import type { JsonObject, ToolDefinition } from "@threadfold/core";
import type { ResponsesTool, ResponsesToolFormat } from "../wire-types.ts";

/**
 * A function, or a custom tool where the definition came as one. The API's default is strict, which refuses most schemas:
 * a function is strict where its definition says so.
 */
export function lowerTool({ name, description, inputSchema, providerMetadata }: ToolDefinition): ResponsesTool {
  const metadata = providerMetadata?.["openai"];
  const described = { name, ...(description !== undefined && description !== "" && { description }) };
  if (metadata?.["type"] === "custom") return { type: "custom", ...described, ...formatOf(metadata["format"]) };
  return {
    type: "function",
    ...described,
    parameters: lowerSchema(inputSchema),
    strict: metadata?.["strict"] === true,
  };
}

function formatOf(format: unknown): { readonly format?: ResponsesToolFormat } {
  const { type, syntax, definition } = Object(format) as Readonly<Record<string, unknown>>;
  if (type === "text") return { format: { type } };
  const isGrammar = type === "grammar" && (syntax === "lark" || syntax === "regex") && typeof definition === "string";
  return isGrammar ? { format: { type, syntax, definition } } : {};
}

/** The API insists on a schema of type object that lists its properties. */
function lowerSchema(schema: JsonObject): JsonObject {
  const typed = schema.type === undefined ? { type: "object", ...schema } : schema;
  return typed.type === "object" && typed.properties === undefined ? { ...typed, properties: {} } : typed;
}
