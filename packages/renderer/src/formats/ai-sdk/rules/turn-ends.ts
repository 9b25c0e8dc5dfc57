import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import type { AiSdkView } from "../ai-sdk-view.ts";

export const endsOnUser: LegalityRule<AiSdkView> = {
  id: "W9",
  description: "The last message is of the user or of a tool.",
  reference: "Last message",
  find({ messages }) {
    const last = messages.length - 1;
    return messages[last]?.role === "assistant"
      ? [{ place: at(last), problem: "the prompt ends on an assistant turn" }]
      : [];
  },
};

export const startsOnUser: LegalityRule<AiSdkView> = {
  id: "W10",
  description: "The first message is of the user.",
  reference: "First message",
  find({ messages }) {
    return messages[0]?.role === "assistant"
      ? [{ place: at(0), problem: "the prompt starts on an assistant turn" }]
      : [];
  },
};
