import { type JsonObject, type JsonValue, jsonObjectSchema, jsonValueSchema, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { type ToolCallId, toolCallIdSchema } from "./ids.ts";

/**
 * Fields of a part that only one provider understands (cache markers, citations, item ids), by provider name. They stay
 * with the part and are restored when the thread is rendered for that provider again.
 */
export type ProviderMetadata = Readonly<Record<string, JsonObject>>;

export const providerMetadataSchema: z.ZodType<ProviderMetadata> = z.record(textSchema, jsonObjectSchema);

/** Text of the visible question or answer. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly providerMetadata?: ProviderMetadata;
}

export const textPartSchema: z.ZodType<TextPart> = z.lazy(() =>
  z.object({
    type: z.literal("text"),
    text: textSchema,
    providerMetadata: providerMetadataSchema.optional(),
  }),
);

/** The location of the bytes of a picture or document. */
export type MediaSource =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string }
  | { readonly kind: "file-id"; readonly fileId: string; readonly mediaType?: string };

export const mediaSourceSchema: z.ZodType<MediaSource> = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("base64"), mediaType: textSchema, data: textSchema }),
    z.object({ kind: z.literal("url"), url: textSchema, mediaType: textSchema.optional() }),
    z.object({ kind: z.literal("file-id"), fileId: textSchema, mediaType: textSchema.optional() }),
  ]),
);

/** A picture (`image`) or any other document (`file`). */
export interface MediaPart {
  readonly type: "image" | "file";
  readonly source: MediaSource;
  readonly name?: string;
  readonly providerMetadata?: ProviderMetadata;
}

export const mediaPartSchema: z.ZodType<MediaPart> = z.lazy(() =>
  z.object({
    type: z.enum(["image", "file"]),
    source: mediaSourceSchema,
    name: textSchema.optional(),
    providerMetadata: providerMetadataSchema.optional(),
  }),
);

/**
 * Whether the body of a tool result may be cleared.
 *
 * - `ephemeral`: may be cleared (listings, debug output).
 * - `anchoring`: may be cleared, but its key fields stay (ids, decisions).
 * - `replayable`: may be cleared while its determinism metadata still matches the source; otherwise it counts as
 *   `non_replayable`.
 * - `non_replayable`: is externalized or kept, never cleared (paid, rate-limited or time-sensitive results). When a
 *   summary or a drop takes it out of the prompt, its body is stored first, and the replacement names the artifact.
 *
 * A summary or a drop may replace results of any class: the thread still has their text, and recall finds it.
 */
export const toolDurabilitySchema = z.enum(["ephemeral", "anchoring", "replayable", "non_replayable"]);
export type ToolDurability = z.infer<typeof toolDurabilitySchema>;

/** What to compare before a replayable result is cleared, to tell whether its source has changed since the call. */
export interface DeterminismMetadata {
  /** Hash of the file or data at read time. */
  readonly contentHash?: string;
  /** HTTP entity tag of a remote resource. */
  readonly etag?: string;
  /** Modification time. Compared for equality, so any consistent unit will do; Threadfold's own is milliseconds. */
  readonly mtime?: number;
  /** Version of the API, schema or document. When both sides have one, it must be equal as well as `mtime`. */
  readonly version?: string;
}

export const determinismMetadataSchema: z.ZodType<DeterminismMetadata> = z.lazy(() =>
  z.object({
    contentHash: textSchema.optional(),
    etag: textSchema.optional(),
    mtime: z.number().optional(),
    version: textSchema.optional(),
  }),
);

/**
 * Checks whether the source has drifted since the metadata was captured. The content hash alone decides if both sides
 * have one, else the etag, else the modification time together with the version, if both sides have one. A source that
 * cannot be verified counts as changed.
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

/** How a tool call ended. A call that the user rejected or that was cut off is a `failure`, and counts as answered. */
export const toolOutcomeStatusSchema = z.enum(["success", "failure", "partial"]);
export type ToolOutcomeStatus = z.infer<typeof toolOutcomeStatusSchema>;

/** The body of a tool result: plain text, a JSON value, or text and media blocks in order. */
export type ToolResultContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "json"; readonly value: JsonValue }
  | { readonly type: "blocks"; readonly blocks: readonly (TextPart | MediaPart)[] };

export const toolResultContentSchema: z.ZodType<ToolResultContent> = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: textSchema }),
    z.object({ type: z.literal("json"), value: jsonValueSchema }),
    z.object({ type: z.literal("blocks"), blocks: z.array(z.union([textPartSchema, mediaPartSchema])) }),
  ]),
);

/** The canonical form of a tool result in a thread. One envelope per tool message. */
export interface ToolResultEnvelope {
  readonly toolName: string;
  readonly callId: ToolCallId;
  readonly outcome: ToolOutcomeStatus;
  readonly content: ToolResultContent;
  /** Values that every fold of the body must keep: ids, decisions, errors. */
  readonly keyFields?: JsonObject;
  /** Set by the tool or its policy; when absent, the configured policy decides. */
  readonly durability?: ToolDurability;
  /** For replayable results: what to compare before the body is cleared. */
  readonly determinism?: DeterminismMetadata;
  /** ISO 8601 times in UTC. */
  readonly startedAt?: string;
  readonly completedAt?: string;
}

export const toolResultEnvelopeSchema: z.ZodType<ToolResultEnvelope> = z.lazy(() =>
  z.object({
    toolName: textSchema,
    callId: toolCallIdSchema,
    outcome: toolOutcomeStatusSchema,
    content: toolResultContentSchema,
    keyFields: jsonObjectSchema.optional(),
    durability: toolDurabilitySchema.optional(),
    determinism: determinismMetadataSchema.optional(),
    startedAt: textSchema.optional(),
    completedAt: textSchema.optional(),
  }),
);

/** Returns the body as readable text: JSON serialized compactly, media as `[image]` or `[file]`. */
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
 * A model's reasoning before its answer. `signature` (Anthropic, Gemini) and `encrypted` (OpenAI Responses, redacted
 * thinking) must be sent back exactly as received, and only to the provider that made them.
 */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  /** Name of the provider that made the signature or encrypted data. */
  readonly provider?: string;
  readonly signature?: string;
  readonly encrypted?: string;
  readonly providerMetadata?: ProviderMetadata;
}

export const reasoningPartSchema: z.ZodType<ReasoningPart> = z.lazy(() =>
  z.object({
    type: z.literal("reasoning"),
    text: textSchema,
    provider: textSchema.optional(),
    signature: textSchema.optional(),
    encrypted: textSchema.optional(),
    providerMetadata: providerMetadataSchema.optional(),
  }),
);

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

export const toolCallPartSchema: z.ZodType<ToolCallPart> = z.lazy(() =>
  z.object({
    type: z.literal("tool-call"),
    callId: toolCallIdSchema,
    toolName: textSchema,
    input: jsonValueSchema,
    invalidInput: textSchema.optional(),
    providerMetadata: providerMetadataSchema.optional(),
  }),
);

/** The answer to a tool call. */
export interface ToolResultPart {
  readonly type: "tool-result";
  readonly result: ToolResultEnvelope;
  readonly providerMetadata?: ProviderMetadata;
}

export const toolResultPartSchema: z.ZodType<ToolResultPart> = z.lazy(() =>
  z.object({
    type: z.literal("tool-result"),
    result: toolResultEnvelopeSchema,
    providerMetadata: providerMetadataSchema.optional(),
  }),
);

/**
 * A provider's item that must be sent back byte for byte or not at all, such as a hosted web search or a server-side
 * compaction block.
 */
export interface OpaquePart {
  readonly type: "opaque";
  readonly provider: string;
  readonly value: JsonValue;
}

export const opaquePartSchema: z.ZodType<OpaquePart> = z.lazy(() =>
  z.object({
    type: z.literal("opaque"),
    provider: textSchema,
    value: jsonValueSchema,
  }),
);

/** One piece of a message. */
export type Part = TextPart | MediaPart | ReasoningPart | ToolCallPart | ToolResultPart | OpaquePart;

export const partSchema: z.ZodType<Part> = z.lazy(() =>
  z.union([
    textPartSchema,
    toolCallPartSchema,
    toolResultPartSchema,
    reasoningPartSchema,
    mediaPartSchema,
    opaquePartSchema,
  ]),
);
