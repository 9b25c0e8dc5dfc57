import { z } from "zod";
import { type JsonObject, type JsonValue, jsonObjectSchema, jsonValueSchema, textSchema } from "../json/json-value.ts";
import { type MediaPart, mediaPartSchema, type TextPart, textPartSchema } from "./content-part.ts";
import { type ToolCallId, toolCallIdSchema } from "./ids.ts";
import {
  type DeterminismMetadata,
  determinismMetadataSchema,
  type ToolDurability,
  toolDurabilitySchema,
} from "./tool-durability.ts";

/** How a tool call ended. A call the user rejected or that was cut off is a `failure` and still answers its call. */
export const toolOutcomeStatusSchema = z.enum(["success", "failure", "partial"]);
export type ToolOutcomeStatus = z.infer<typeof toolOutcomeStatusSchema>;

/** The body of a tool result: plain text, a JSON value, or text and media blocks in order. */
export type ToolResultContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "json"; readonly value: JsonValue }
  | { readonly type: "blocks"; readonly blocks: readonly (TextPart | MediaPart)[] };

export const toolResultContentSchema: z.ZodType<ToolResultContent> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: textSchema }),
  z.object({ type: z.literal("json"), value: jsonValueSchema }),
  z.object({ type: z.literal("blocks"), blocks: z.array(z.union([textPartSchema, mediaPartSchema])) }),
]);

/** The canonical form of a tool result in a thread (seed 002). One envelope per tool message. */
export interface ToolResultEnvelope {
  readonly toolName: string;
  readonly callId: ToolCallId;
  readonly outcome: ToolOutcomeStatus;
  readonly content: ToolResultContent;
  /** Values that must survive every fold of the body: ids, decisions, errors. */
  readonly keyFields?: JsonObject;
  /** Set by the tool or its policy; absent means that the configured policy decides. */
  readonly durability?: ToolDurability;
  /** For replayable results: what to compare before the body is cleared. */
  readonly determinism?: DeterminismMetadata;
  /** ISO 8601 times in UTC. */
  readonly startedAt?: string;
  readonly completedAt?: string;
}

export const toolResultEnvelopeSchema: z.ZodType<ToolResultEnvelope> = z.object({
  toolName: textSchema,
  callId: toolCallIdSchema,
  outcome: toolOutcomeStatusSchema,
  content: toolResultContentSchema,
  keyFields: jsonObjectSchema.optional(),
  durability: toolDurabilitySchema.optional(),
  determinism: determinismMetadataSchema.optional(),
  startedAt: textSchema.optional(),
  completedAt: textSchema.optional(),
});

/** The body as text: what a person would read, with media named by kind and type. JSON bodies are serialized compactly. */
export function toolResultText(content: ToolResultContent): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "json":
      return JSON.stringify(content.value);
    case "blocks":
      return content.blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
  }
}
