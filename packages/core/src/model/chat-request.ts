import type { ProviderMetadata } from "./content-part.ts";
import type { MessageId } from "./ids.ts";
import type { Message, Role } from "./message.ts";
import type { Part } from "./part.ts";
import type { SystemEntry } from "./system-text.ts";
import type { ToolDefinition } from "./tool-definition.ts";

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
  /** What one provider tells of the whole message, see {@link Message}. */
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

/** The neutral request: what every provider's payload is lowered from. */
export interface ChatRequest {
  /** System texts in order, the host's before the thread's. Empty when there is none. */
  readonly system: readonly SystemEntry[];
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
}

/** A message of the thread as it goes into a request unchanged. */
export function toChatMessage(message: Message): ChatMessage {
  const { role, parts, id, providerMetadata } = message;
  const chat = { role, parts, sources: [id] };
  return providerMetadata === undefined ? chat : { ...chat, providerMetadata };
}
