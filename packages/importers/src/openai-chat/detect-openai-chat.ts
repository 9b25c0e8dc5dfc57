import { findConversation } from "../reading/find-conversation.ts";
import { messageTraits } from "../reading/message-traits.ts";
import type { SourceRecords } from "../reading/source-records.ts";

/** Roles and kinds of blocks that only the OpenAI Chat API has. */
const OWN_ROLES = ["tool", "developer", "function"];
const OWN_BLOCKS = ["image_url", "input_audio", "refusal"];

/** Kinds of blocks that it does not have: those of the Anthropic API and of OpenAI Responses. */
const FOREIGN_BLOCKS = [
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "input_text",
  "output_text",
  "tool-call",
  "tool-result",
];

/** How sure it is that the source is a conversation of the OpenAI Chat Completions API. */
export function detectOpenaiChat(source: SourceRecords): number {
  const conversation = findConversation(source);
  if (conversation === undefined) return 0;
  const { roles, blockTypes, hasToolCallField } = messageTraits(conversation);
  if (FOREIGN_BLOCKS.some((type) => blockTypes.has(type))) return 0;
  if (conversation.frame.format === "openai-chat") return 1;
  if (hasToolCallField || OWN_ROLES.some((role) => roles.has(role)) || OWN_BLOCKS.some((type) => blockTypes.has(type)))
    return 0.95;
  // Plain text between user and assistant fits both APIs; system text among the messages is this one's habit.
  return roles.has("system") ? 0.7 : 0.5;
}
