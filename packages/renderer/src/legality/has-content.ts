import { at, type LegalityRule } from "./legality-rule.ts";
import type { PlainObject } from "./plain-object.ts";

/** The rule of formats in which every message has content, whoever speaks. */
export const hasContent: LegalityRule<{ readonly messages: readonly PlainObject[] }> = {
  id: "messages",
  description: "There is a message, and every message has content.",
  reference: "Empty content",
  find({ messages }) {
    if (messages.length === 0) return [{ place: { path: "$.messages" }, problem: "there is no message" }];
    return messages.flatMap(({ content }, index) =>
      typeof content === "string" || (Array.isArray(content) && content.length > 0)
        ? []
        : [{ place: at(index, undefined, "content"), problem: "the message has no content" }],
    );
  },
};
