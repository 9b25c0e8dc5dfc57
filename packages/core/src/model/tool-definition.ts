import { z } from "zod";
import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";

/** Name of the tool by which a model reads an artifact: a prompt speaks of it only where the host declares it (seed 002). */
export const READ_ARTIFACT_TOOL_NAME = "read_artifact";

/** Name of the tool by which a model searches and reads what was folded away. */
export const SEARCH_THREAD_TOOL_NAME = "search_thread";

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
