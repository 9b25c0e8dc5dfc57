import { newestModel } from "../draft/newest-model.ts";
import { openingOf, seedOf } from "../draft/opening-of.ts";
import { isAssistantMessage } from "../reading/assistant-message.ts";
import { conversationThreads, findConversation } from "../reading/find-conversation.ts";
import { nonEmptyText } from "../reading/foreign-value.ts";
import type { SessionImporter } from "../session-importer.ts";
import { detectOpenaiChat } from "./detect-openai-chat.ts";
import { addOpenaiMessages } from "./openai-messages.ts";
import { openaiTools } from "./openai-tools.ts";

/**
 * Conversations in the form of the OpenAI Chat Completions API: a request body, its messages alone, one message a
 * line, or trajectories with one thread a line.
 */
export const openaiChatImporter: SessionImporter = {
  format: "openai-chat",
  detect: detectOpenaiChat,
  threads: conversationThreads,
  import(source, draft) {
    const conversation = findConversation(source);
    if (conversation === undefined) return { records: 0, system: [], tools: [] };
    const { frame, messages, pointerTo } = conversation;
    draft.startAt(frame.start_time);
    const opening = openingOf(source.source, frame, messages, isAssistantMessage);
    const provider = nonEmptyText(frame.provider);
    addOpenaiMessages({ messages, pointerTo, seed: seedOf(opening), ...(provider && { provider }) }, draft);
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      opening,
      records: messages.length,
      system: [],
      tools: openaiTools(frame.tools ?? frame.functions, draft),
      ...(model !== undefined && { model }),
    };
  },
};
