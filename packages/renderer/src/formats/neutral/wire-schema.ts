import {
  partSchema,
  providerMetadataSchema,
  roleSchema,
  systemEntrySchema,
  toolDefinitionSchema,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";

/** A neutral request as a payload. */
export const neutralRequestSchema = z.lazy(() =>
  z.object({
    system: z.array(systemEntrySchema),
    tools: z.array(toolDefinitionSchema),
    messages: z.array(
      z.object({
        role: roleSchema,
        parts: z.array(partSchema),
        synthetic: z.string().optional(),
        providerMetadata: providerMetadataSchema.optional(),
      }),
    ),
  }),
);
