import type { FoundConversation } from "./find-conversation.ts";
import { listOf, objectOf, textOf } from "./foreign-value.ts";

/** What the messages of a conversation show of the API that they were written for. */
export interface MessageTraits {
  readonly roles: ReadonlySet<string>;
  /** Kinds of content blocks. */
  readonly blockTypes: ReadonlySet<string>;
  /** True when a message has a field that only OpenAI Chat messages have. */
  readonly hasToolCallField: boolean;
  /** True when a message says why the model stopped, as responses of the Anthropic API do. */
  readonly hasStopReason: boolean;
  /** True when a message is such a response as it came. */
  readonly isResponse: boolean;
}

/** How many messages are looked at from the start: a conversation shows its form early. */
const SAMPLE = 200;

export function messageTraits({ messages }: FoundConversation): MessageTraits {
  const roles = new Set<string>();
  const blockTypes = new Set<string>();
  let hasToolCallField = false;
  let hasStopReason = false;
  let isResponse = false;
  for (const value of messages.slice(0, SAMPLE)) {
    const message = objectOf(value);
    const role = textOf(message?.role);
    if (message === undefined || role === undefined) continue;
    roles.add(role);
    if (message.tool_calls != null || message.tool_call_id !== undefined || message.function_call != null)
      hasToolCallField = true;
    if (message.stop_reason !== undefined) hasStopReason = true;
    if (message.type === "message" && message.stop_reason !== undefined) isResponse = true;
    for (const block of listOf(message.content) ?? []) blockTypes.add(textOf(objectOf(block)?.type) ?? "");
  }
  return { roles, blockTypes, hasToolCallField, hasStopReason, isResponse };
}
