import type { ChatRequest } from "@threadfold/core";
import { checkRules } from "../../legality/check-rules.ts";
import { messageLocator } from "../../legality/locate-message.ts";
import { checkShape, SHAPE_RULE } from "../../legality/shape-rule.ts";
import type { LoweredRequest, ProviderFormat } from "../provider-format.ts";
import { lowerMessage } from "./lower/message.ts";
import { lowerTool } from "./lower/tool.ts";
import { openaiChatView } from "./openai-chat-view.ts";
import { OPENAI_CHAT_REQUIREMENTS } from "./requirements.ts";
import { OPENAI_CHAT_RULES } from "./rules.ts";
import { openaiChatRequestSchema } from "./wire-schema.ts";

/** OpenAI's Chat Completions API. */
export const openaiChat: ProviderFormat = {
  id: "openai-chat",
  messagesField: "messages",
  rules: { requirements: OPENAI_CHAT_REQUIREMENTS, rules: [SHAPE_RULE, ...OPENAI_CHAT_RULES] },
  lower,
  check(payload, manifest) {
    const view = openaiChatView(payload);
    const shape = manifest === undefined ? checkShape(openaiChatRequestSchema, payload) : [];
    return [
      ...shape,
      ...checkRules(OPENAI_CHAT_RULES, view, manifest, (known) => messageLocator(view.messages.length, known)),
    ];
  },
};

/** Each system text is a message of its own, first. */
function lower({ system, tools, messages }: ChatRequest): LoweredRequest {
  return {
    payload: {
      messages: [...system.map((content) => ({ role: "system", content })), ...messages.map(lowerMessage)],
      ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
    },
  };
}
