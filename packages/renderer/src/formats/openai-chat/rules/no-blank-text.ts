import { at, type Finding, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, isPlainObject } from "../../../legality/plain-object.ts";
import type { OpenAIChatView } from "../openai-chat-view.ts";

const PROBLEM = "the text is blank";
const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

/** A tool may have nothing to say, and so may a message that calls tools: frameworks send such content as an empty text. */
export const noBlankText: LegalityRule<OpenAIChatView> = {
  id: "W11",
  description: "No text that somebody says is empty or white space only.",
  reference: "Empty content",
  find: ({ messages }) =>
    messages.flatMap(({ role, content, tool_calls: calls }, index): readonly Finding[] => {
      if (role === "tool" || (content === "" && asList(calls).length > 0)) return [];
      if (isBlank(content)) return [{ place: at(index), problem: PROBLEM }];
      return asList(content).flatMap((part, place) =>
        isPlainObject(part) && part.type === "text" && isBlank(part.text)
          ? [{ place: at(index, place), problem: PROBLEM }]
          : [],
      );
    }),
};
