import { z } from "zod";
import { type JsonValue, jsonValueSchema, textSchema } from "../json/json-value.ts";
import {
  type MediaPart,
  mediaPartSchema,
  type ProviderMetadata,
  providerMetadataSchema,
  type TextPart,
  textPartSchema,
} from "./content-part.ts";
import { type ToolCallId, toolCallIdSchema } from "./ids.ts";
import { type ToolResultEnvelope, toolResultEnvelopeSchema } from "./tool-result-envelope.ts";

/**
 * What a model thought before it answered. `signature` (Anthropic, Gemini) and `encrypted` (OpenAI Responses, redacted
 * thinking) must go back exactly as they came, and only to the provider that made them.
 */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  /** Name of the provider whose signature or encrypted data this is. */
  readonly provider?: string;
  readonly signature?: string;
  readonly encrypted?: string;
  readonly providerMetadata?: ProviderMetadata;
}

export const reasoningPartSchema: z.ZodType<ReasoningPart> = z.object({
  type: z.literal("reasoning"),
  text: textSchema,
  provider: textSchema.optional(),
  signature: textSchema.optional(),
  encrypted: textSchema.optional(),
  providerMetadata: providerMetadataSchema.optional(),
});

/** A model's request to run a tool. */
export interface ToolCallPart {
  readonly type: "tool-call";
  readonly callId: ToolCallId;
  readonly toolName: string;
  readonly input: JsonValue;
  /** The arguments exactly as the model wrote them, when they are not valid JSON; `input` is then that text. */
  readonly invalidInput?: string;
  readonly providerMetadata?: ProviderMetadata;
}

export const toolCallPartSchema: z.ZodType<ToolCallPart> = z.object({
  type: z.literal("tool-call"),
  callId: toolCallIdSchema,
  toolName: textSchema,
  input: jsonValueSchema,
  invalidInput: textSchema.optional(),
  providerMetadata: providerMetadataSchema.optional(),
});

/** The answer to a tool call. */
export interface ToolResultPart {
  readonly type: "tool-result";
  readonly result: ToolResultEnvelope;
  readonly providerMetadata?: ProviderMetadata;
}

export const toolResultPartSchema: z.ZodType<ToolResultPart> = z.object({
  type: z.literal("tool-result"),
  result: toolResultEnvelopeSchema,
  providerMetadata: providerMetadataSchema.optional(),
});

/** A provider's item that must travel byte for byte, such as a server-side compaction block. Never summarized by us. */
export interface OpaquePart {
  readonly type: "opaque";
  readonly provider: string;
  readonly value: JsonValue;
}

export const opaquePartSchema: z.ZodType<OpaquePart> = z.object({
  type: z.literal("opaque"),
  provider: textSchema,
  value: jsonValueSchema,
});

/** One piece of a message. */
export type Part = TextPart | MediaPart | ReasoningPart | ToolCallPart | ToolResultPart | OpaquePart;

export const partSchema: z.ZodType<Part> = z.union([
  textPartSchema,
  toolCallPartSchema,
  toolResultPartSchema,
  reasoningPartSchema,
  mediaPartSchema,
  opaquePartSchema,
]);
