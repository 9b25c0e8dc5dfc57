import { z } from "zod";
import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";

/** A tool as the model is told about it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the input. */
  readonly inputSchema: JsonObject;
  readonly providerMetadata?: Readonly<Record<string, JsonObject>>;
}

export const toolDefinitionSchema: z.ZodType<ToolDefinition> = z.object({
  name: textSchema.min(1),
  description: textSchema.optional(),
  inputSchema: jsonObjectSchema,
  providerMetadata: z.record(textSchema, jsonObjectSchema).optional(),
});
