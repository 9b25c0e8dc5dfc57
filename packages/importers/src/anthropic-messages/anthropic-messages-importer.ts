import {
  conversationThreads,
  findConversation,
  isAssistantMessage,
  messageTraits,
} from "../reading/find-conversation.ts";
import { type ForeignObject, nonEmptyText } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { newestModel } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import { importing, type SessionImporter } from "../session/session-importer.ts";
import { addAnthropicMessagesInSteps, anthropicSystem, anthropicTools } from "./anthropic-messages.ts";

/**
 * Imports conversations in the form of the Anthropic Messages API: a request body, its messages alone, a response, or
 * one message per line.
 */
export const anthropicMessagesImporter: SessionImporter = {
  format: "anthropic-messages",
  detect: detectAnthropicMessages,
  threads: conversationThreads,
  ...importing(function* (source, draft) {
    const conversation = findConversation(source);
    if (conversation === undefined) return { records: 0, system: [], tools: [] };
    const { frame, messages, pointerTo } = conversation;
    draft.startAt(frame.start_time);
    const opening = openingOf(source.source, frame, messages, isAssistantMessage);
    const seed = seedOf(opening);
    yield* addAnthropicMessagesInSteps({ messages, pointerTo, idOf: (_message, index) => `${seed}-${index}` }, draft);
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      ...sessionIdOf(frame),
      opening,
      records: messages.length,
      system: anthropicSystem(frame.system ?? frame.system_prompt),
      tools: anthropicTools(frame.tools, draft),
      ...(model !== undefined && { model }),
    };
  }),
};

function sessionIdOf(frame: ForeignObject): { readonly sessionId?: string } {
  const sessionId = nonEmptyText(frame.session_id) ?? nonEmptyText(frame.sessionId);
  return sessionId === undefined ? {} : { sessionId };
}

/** Block types that only the Anthropic API has. */
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

/** Block types and roles that the Anthropic API does not have. */
const FOREIGN_BLOCKS = ["image_url", "input_audio", "input_text", "output_text", "tool-call", "tool-result"];
const FOREIGN_ROLES = ["tool", "developer", "function"];

/** Returns the confidence, from 0 to 1, that the source is a conversation of the Anthropic Messages API. */
function detectAnthropicMessages(source: SourceRecords): number {
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
