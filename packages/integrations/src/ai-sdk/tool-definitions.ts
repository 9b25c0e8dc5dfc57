import type { JsonObject, ToolDefinition } from "@threadfold/core";
import { asSchema, type ToolSet } from "ai";

/** A set of tools as a session counts it. Tools that run at the provider have no schema and are left out. */
export async function toolDefinitions(tools: ToolSet): Promise<readonly ToolDefinition[]> {
  const own = Object.entries(tools).filter(
    ([, { type }]) => type === undefined || type === "function" || type === "dynamic",
  );
  return Promise.all(
    own.map(async ([name, { description, inputSchema }]): Promise<ToolDefinition> => {
      const schema = (await asSchema(inputSchema).jsonSchema) as JsonObject;
      return { name, ...(typeof description === "string" && { description }), inputSchema: schema };
    }),
  );
}
