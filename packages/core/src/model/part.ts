import { type JsonObject, type JsonValue, jsonObjectSchema, jsonValueSchema, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { type ToolCallId, toolCallIdSchema } from "./ids.ts";

/**
 * What one provider said about a part and no other provider understands (cache markers, citations, item ids), by
 * provider name. It travels with the part and comes back when the thread is rendered for that provider again.
 */
export type ProviderMetadata = Readonly<Record<string, JsonObject>>;

export const providerMetadataSchema: z.ZodType<ProviderMetadata> = z.record(textSchema, jsonObjectSchema);

/** Text that is part of the visible answer or question. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly providerMetadata?: ProviderMetadata;
}

export const textPartSchema: z.ZodType<TextPart> = z.object({
  type: z.literal("text"),
  text: textSchema,
  providerMetadata: providerMetadataSchema.optional(),
});

/** Where the bytes of a picture or document are. */
export type MediaSource =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string }
  | { readonly kind: "file-id"; readonly fileId: string; readonly mediaType?: string };

export const mediaSourceSchema: z.ZodType<MediaSource> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("base64"), mediaType: textSchema, data: textSchema }),
  z.object({ kind: z.literal("url"), url: textSchema, mediaType: textSchema.optional() }),
  z.object({ kind: z.literal("file-id"), fileId: textSchema, mediaType: textSchema.optional() }),
]);

/** A picture (`image`) or any other document (`file`). */
export interface MediaPart {
  readonly type: "image" | "file";
  readonly source: MediaSource;
  readonly name?: string;
  readonly providerMetadata?: ProviderMetadata;
}

export const mediaPartSchema: z.ZodType<MediaPart> = z.object({
  type: z.enum(["image", "file"]),
  source: mediaSourceSchema,
  name: textSchema.optional(),
  providerMetadata: providerMetadataSchema.optional(),
});

/**
 * Whether the body of a tool result may be cleared.
 *
 * - `ephemeral`: may be cleared (listings, debug output).
 * - `anchoring`: may be cleared, but its key fields stay (ids, decisions).
 * - `replayable`: may be cleared while its determinism metadata still matches the source; otherwise it counts as
 *   `non_replayable`.
 * - `non_replayable`: is externalized or kept, never cleared (paid, rate-limited or time-sensitive results). Where a
 *   summary or a drop takes it out of the prompt, its body is stored first, and what stands for it names the artifact.
 *
 * A summary or a drop may stand for results of every class: the thread still has their words, and a recall finds them.
 */
export const toolDurabilitySchema = z.enum(["ephemeral", "anchoring", "replayable", "non_replayable"]);
export type ToolDurability = z.infer<typeof toolDurabilitySchema>;

/** What to check before a replayable result is cleared: does the source still look as it did at call time? */
export interface DeterminismMetadata {
  /** Hash of the file or data at read time. */
  readonly contentHash?: string;
  /** HTTP entity tag of a remote resource. */
  readonly etag?: string;
  /** Modification time. Compared for equality, so any unit does that a tool keeps to; Threadfold's own is milliseconds. */
  readonly mtime?: number;
  /** Version of the API, schema or document. Where both sides have one it must be equal beside `mtime`. */
  readonly version?: string;
}

export const determinismMetadataSchema: z.ZodType<DeterminismMetadata> = z.object({
  contentHash: textSchema.optional(),
  etag: textSchema.optional(),
  mtime: z.number().optional(),
  version: textSchema.optional(),
});

/**
 * Says whether the source has drifted since the metadata was captured. A content hash decides alone, then an etag, then
 * the modification time, with the version where both sides have one. What cannot be verified counts as changed.
 */
export function hasDrifted(captured: DeterminismMetadata, current: DeterminismMetadata): boolean {
  if (captured.contentHash !== undefined && current.contentHash !== undefined) {
    return captured.contentHash !== current.contentHash;
  }
  if (captured.etag !== undefined && current.etag !== undefined) return captured.etag !== current.etag;
  if (captured.mtime === undefined || current.mtime === undefined) return true;
  const bothVersioned = captured.version !== undefined && current.version !== undefined;
  return captured.mtime !== current.mtime || (bothVersioned && captured.version !== current.version);
}

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

/** The canonical form of a tool result in a thread. One envelope per tool message. */
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
