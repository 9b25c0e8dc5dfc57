import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import type { MessageId } from "../model/ids.ts";
import type { Message, Role } from "../model/message.ts";
import { type Part, type ProviderMetadata, providerMetadataSchema } from "../model/part.ts";

/** The neutral request, from which every provider's payload is lowered. */
export interface ChatRequest {
  /** System texts in order, the host's before the thread's. Empty when there is none. */
  readonly system: readonly SystemEntry[];
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
}

/**
 * One message of a request, in no provider's format yet. It is either an unchanged message of the thread (`sources`
 * names it and `synthetic` is absent) or one that rendering made (`synthetic` says why).
 */
export interface ChatMessage {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** The messages of the thread that this one represents, in order. Empty for content that is in no message. */
  readonly sources: readonly MessageId[];
  readonly synthetic?: SyntheticKind;
  /** Fields of the whole message that only one provider understands; see {@link Message}. */
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

/** Returns a message of the thread as an unchanged message of a request. */
export function toChatMessage(message: Message): ChatMessage {
  const { role, parts, id, providerMetadata } = message;
  const chat = { role, parts, sources: [id] };
  return providerMetadata === undefined ? chat : { ...chat, providerMetadata };
}

/** A system text with its provider metadata. A text without any may be a plain string instead. */
export interface SystemText {
  readonly text: string;
  /** The role that it is sent under, if the provider has more than one; chosen by the format by default. */
  readonly role?: "system" | "developer";
  /** Set when it belongs to the same message as the text before it, for providers that send system text as messages. */
  readonly continues?: true;
  /** Cache marks, names and other fields that only one provider understands. */
  readonly providerMetadata?: ProviderMetadata;
}

/** A system text of a request: a string, or a text with its provider metadata. */
export type SystemEntry = string | SystemText;

export const systemEntrySchema: z.ZodType<SystemEntry> = z.lazy(() =>
  z.union([
    textSchema,
    z.object({
      text: textSchema,
      role: z.enum(["system", "developer"]).optional(),
      continues: z.literal(true).optional(),
      providerMetadata: providerMetadataSchema.optional(),
    }),
  ]),
);

/** Returns the text of a system entry. */
export const systemText = (entry: SystemEntry): string => (typeof entry === "string" ? entry : entry.text);

/** Returns a system entry as an object, whichever form it has. */
export const toSystemText = (entry: SystemEntry): SystemText => (typeof entry === "string" ? { text: entry } : entry);

/** Returns a system entry with a different text and everything else unchanged. */
export const withSystemText = (entry: SystemEntry, text: string): SystemEntry =>
  typeof entry === "string" ? text : { ...entry, text };

/** A tool definition as sent to the model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the input. */
  readonly inputSchema: JsonObject;
  readonly providerMetadata?: Readonly<Record<string, JsonObject>>;
}

export const toolDefinitionSchema: z.ZodType<ToolDefinition> = z.lazy(() =>
  z.object({
    name: textSchema.min(1),
    description: textSchema.optional(),
    inputSchema: jsonObjectSchema,
    providerMetadata: z.record(textSchema, jsonObjectSchema).optional(),
  }),
);

/** Name of the tool with which a model reads an artifact. A prompt mentions it only if the host declares the tool. */
export const READ_ARTIFACT_TOOL_NAME = "read_artifact";

/** Name of the tool with which a model searches and reads what was folded away. */
export const SEARCH_THREAD_TOOL_NAME = "search_thread";
