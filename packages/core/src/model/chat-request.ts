import type { MessageId } from "./ids.ts";
import type { Message, Role } from "./message.ts";
import type { Part } from "./part.ts";
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
  /** System text, one entry per source (host, thread). Empty when there is none. */
  readonly system: readonly string[];
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
}

/** A message of the thread as it goes into a request unchanged. */
export function toChatMessage(message: Message): ChatMessage {
  return { role: message.role, parts: message.parts, sources: [message.id] };
}
