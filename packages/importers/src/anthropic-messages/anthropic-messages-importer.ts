import { newestModel } from "../draft/newest-model.ts";
import { openingOf, seedOf } from "../draft/opening-of.ts";
import { isAssistantMessage } from "../reading/assistant-message.ts";
import { conversationThreads, findConversation } from "../reading/find-conversation.ts";
import { type ForeignObject, nonEmptyText } from "../reading/foreign-value.ts";
import type { SessionImporter } from "../session-importer.ts";
import { addAnthropicMessages } from "./anthropic-messages.ts";
import { anthropicSystem } from "./anthropic-system.ts";
import { anthropicTools } from "./anthropic-tools.ts";
import { detectAnthropicMessages } from "./detect-anthropic-messages.ts";

/**
 * Conversations in the form of the Anthropic Messages API: a request body, its messages alone, a response, or one
 * message a line.
 */
export const anthropicMessagesImporter: SessionImporter = {
  format: "anthropic-messages",
  detect: detectAnthropicMessages,
  threads: conversationThreads,
  import(source, draft) {
    const conversation = findConversation(source);
    if (conversation === undefined) return { records: 0, system: [], tools: [] };
    const { frame, messages, pointerTo } = conversation;
    draft.startAt(frame.start_time);
    const opening = openingOf(source.source, frame, messages, isAssistantMessage);
    const seed = seedOf(opening);
    addAnthropicMessages({ messages, pointerTo, idOf: (_message, index) => `${seed}-${index}` }, draft);
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      ...sessionIdOf(frame),
      opening,
      records: messages.length,
      system: anthropicSystem(frame.system ?? frame.system_prompt),
      tools: anthropicTools(frame.tools, draft),
      ...(model !== undefined && { model }),
    };
  },
};

function sessionIdOf(frame: ForeignObject): { readonly sessionId?: string } {
  const sessionId = nonEmptyText(frame.session_id) ?? nonEmptyText(frame.sessionId);
  return sessionId === undefined ? {} : { sessionId };
}
