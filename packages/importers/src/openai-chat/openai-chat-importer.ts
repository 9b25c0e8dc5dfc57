import {
  conversationThreads,
  findConversation,
  isAssistantMessage,
  messageTraits,
} from "../reading/find-conversation.ts";
import { nonEmptyText } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { newestModel } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import { importing, type SessionImporter } from "../session/session-importer.ts";
import { addOpenaiMessagesInSteps } from "./openai-messages.ts";
import { openaiTools } from "./openai-tools.ts";

/**
 * Imports conversations in the form of the OpenAI Chat Completions API: a request body, its messages alone, one message
 * per line, or trajectories with one thread per line.
 */
export const openaiChatImporter: SessionImporter = {
  format: "openai-chat",
  detect: detectOpenaiChat,
  threads: conversationThreads,
  ...importing(function* (source, draft) {
    const conversation = findConversation(source);
    if (conversation === undefined) return { records: 0, system: [], tools: [] };
    const { frame, messages, pointerTo } = conversation;
    draft.startAt(frame.start_time);
    const opening = openingOf(source.source, frame, messages, isAssistantMessage);
    const provider = nonEmptyText(frame.provider);
    yield* addOpenaiMessagesInSteps(
      { messages, pointerTo, seed: seedOf(opening), ...(provider && { provider }) },
      draft,
    );
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      opening,
      records: messages.length,
      system: [],
      tools: openaiTools(frame.tools ?? frame.functions, draft),
      ...(model !== undefined && { model }),
    };
  }),
};

/** Roles and block types that only the OpenAI Chat API has. */
const OWN_ROLES = ["tool", "developer", "function"];
const OWN_BLOCKS = ["image_url", "input_audio", "refusal"];

/** Block types that the OpenAI Chat API does not have: those of the Anthropic API and of OpenAI Responses. */
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

/** Returns the confidence, from 0 to 1, that the source is a conversation of the OpenAI Chat Completions API. */
function detectOpenaiChat(source: SourceRecords): number {
  const conversation = findConversation(source);
  if (conversation === undefined) return 0;
  const { roles, blockTypes, hasToolCallField } = messageTraits(conversation);
  if (FOREIGN_BLOCKS.some((type) => blockTypes.has(type))) return 0;
  if (conversation.frame.format === "openai-chat") return 1;
  if (hasToolCallField || OWN_ROLES.some((role) => roles.has(role)) || OWN_BLOCKS.some((type) => blockTypes.has(type)))
    return 0.95;
  // Plain text between user and assistant fits both APIs; system text among the messages is typical of this one.
  return roles.has("system") ? 0.7 : 0.5;
}
