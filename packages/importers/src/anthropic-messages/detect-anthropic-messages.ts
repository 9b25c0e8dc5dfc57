import { findConversation } from "../reading/find-conversation.ts";
import { messageTraits } from "../reading/message-traits.ts";
import type { SourceRecords } from "../reading/source-records.ts";

/** Kinds of blocks that only the Anthropic API has. */
const OWN_BLOCKS = [
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "image",
  "document",
  "compaction",
];

/** Kinds of blocks and roles that it does not have. */
const FOREIGN_BLOCKS = ["image_url", "input_audio", "input_text", "output_text", "tool-call", "tool-result"];
const FOREIGN_ROLES = ["tool", "developer", "function"];

/** How sure it is that the source is a conversation of the Anthropic Messages API. */
export function detectAnthropicMessages(source: SourceRecords): number {
  const conversation = findConversation(source);
  if (conversation === undefined) return 0;
  const { roles, blockTypes, hasToolCallField, hasStopReason, isResponse } = messageTraits(conversation);
  const isForeign =
    FOREIGN_BLOCKS.some((type) => blockTypes.has(type)) || FOREIGN_ROLES.some((role) => roles.has(role));
  if (hasToolCallField || isForeign) return 0;
  if (conversation.frame.format === "anthropic-messages" || isResponse) return 1;
  if (hasStopReason || OWN_BLOCKS.some((type) => blockTypes.has(type))) return 0.95;
  if (conversation.frame.system !== undefined || conversation.frame.system_prompt !== undefined) return 0.6;
  return 0.4;
}
