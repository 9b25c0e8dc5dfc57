import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import type { MessageId } from "../model/ids.ts";
import type { Message, Role } from "../model/message.ts";
import { type Part, type ProviderMetadata, providerMetadataSchema } from "../model/part.ts";

/** The neutral request: what every provider's payload is lowered from. */
export interface ChatRequest {
  /** System texts in order, the host's before the thread's. Empty when there is none. */
  readonly system: readonly SystemEntry[];
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
}

/**
 * One message of a request, before any provider's shape. It is either a message of the thread as it stands (`source`
 * names it and `synthetic` is absent) or one that rendering made (`synthetic` says why).
 */
export interface ChatMessage {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Messages of the thread that this one stands for, in order. Empty for content that no message holds. */
  readonly sources: readonly MessageId[];
  readonly synthetic?: SyntheticKind;
  /** What one provider says about the whole message; see {@link Message}. */
  readonly providerMetadata?: ProviderMetadata;
}

/** Why rendering made a message that is not in the thread. */
export type SyntheticKind =
  | "summary"
  | "pointer"
  | "placeholder"
  | "pins"
  | "rehydration"
  | "continuation"
  | "missing-result"
  | "system-notice";

/** A message of the thread as it goes into a request unchanged. */
export function toChatMessage(message: Message): ChatMessage {
  const { role, parts, id, providerMetadata } = message;
  const chat = { role, parts, sources: [id] };
  return providerMetadata === undefined ? chat : { ...chat, providerMetadata };
}

/** A system text with its provider metadata. A text without any may be a plain string instead. */
export interface SystemText {
  readonly text: string;
  /** The role it is sent under where a provider has more than one; the format's own choice by default. */
  readonly role?: "system" | "developer";
  /** True when it stands in one message with the text before it, where a provider has messages for system text. */
  readonly continues?: true;
  /** Cache marks, names and whatever else only one provider understands. */
  readonly providerMetadata?: ProviderMetadata;
}

/** A system text of a request: a string, or a text with its provider metadata. */
export type SystemEntry = string | SystemText;

export const systemEntrySchema: z.ZodType<SystemEntry> = z.union([
  textSchema,
  z.object({
    text: textSchema,
    role: z.enum(["system", "developer"]).optional(),
    continues: z.literal(true).optional(),
    providerMetadata: providerMetadataSchema.optional(),
  }),
]);

/** The words of a system text. */
export const systemText = (entry: SystemEntry): string => (typeof entry === "string" ? entry : entry.text);

/** A system text as an object, whichever way it was given. */
export const toSystemText = (entry: SystemEntry): SystemText => (typeof entry === "string" ? { text: entry } : entry);

/** A system text with other words and the same provider metadata. */
export const withSystemText = (entry: SystemEntry, text: string): SystemEntry =>
  typeof entry === "string" ? text : { ...entry, text };

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

/** Name of the tool by which a model reads an artifact: a prompt mentions it only where the host declares it. */
export const READ_ARTIFACT_TOOL_NAME = "read_artifact";

/** Name of the tool by which a model searches and reads what was folded away. */
export const SEARCH_THREAD_TOOL_NAME = "search_thread";
