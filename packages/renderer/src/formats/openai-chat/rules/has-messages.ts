import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asList } from "../../../legality/plain-object.ts";
import type { OpenAIChatView } from "../openai-chat-view.ts";

export const hasMessages: LegalityRule<OpenAIChatView> = {
  id: "messages",
  description: "There is a message, and only an assistant message with calls may be without content.",
  reference: "Empty content",
  find({ messages }) {
    if (messages.length === 0) return [{ place: { path: "$.messages" }, problem: "there is no message" }];
    return messages.flatMap(({ role, content, tool_calls: calls }, index) => {
      const has = typeof content === "string" || (Array.isArray(content) && content.length > 0);
      const mayLack = role === "assistant" && asList(calls).length > 0;
      return has || mayLack ? [] : [{ place: at(index, undefined, "content"), problem: "the message has no content" }];
    });
  },
};
