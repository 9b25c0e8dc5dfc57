import { at, type LegalityRule } from "../../legality/legality-rule.ts";
import { PAIRING_RULES } from "../../legality/pairing-rules.ts";
import type { NeutralView } from "./neutral-view.ts";

const endsOnUser: LegalityRule<NeutralView> = {
  id: "W9",
  description: "The last message is not of the assistant.",
  reference: "Last message",
  find({ messages }) {
    const last = messages.length - 1;
    return messages[last]?.role === "assistant"
      ? [{ place: at(last), problem: "the request ends on an assistant turn" }]
      : [];
  },
};

const noBlankText: LegalityRule<NeutralView> = {
  id: "W11",
  description: "Every message has parts, and no text is empty or white space only.",
  reference: "Empty content",
  find: ({ messages }) =>
    messages.flatMap(({ parts }, message) =>
      parts.length === 0
        ? [{ place: at(message, undefined, "parts"), problem: "the message has no parts" }]
        : parts.flatMap(({ type, text }, index) =>
            type === "text" && typeof text === "string" && text.trim() === ""
              ? [{ place: at(message, undefined, `parts[${index}]`), problem: "the text is blank" }]
              : [],
          ),
    ),
};

/** What holds for every provider. */
export const NEUTRAL_RULES: readonly LegalityRule<NeutralView>[] = [...PAIRING_RULES, endsOnUser, noBlankText];
