import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import type { OpenAIChatView, PlacedCall } from "../openai-chat-view.ts";

const MAX_LENGTH = 40;
const idPlace = ({ message, index }: PlacedCall) => at(message, undefined, `tool_calls[${index}].id`);

export const callIdForm: LegalityRule<OpenAIChatView> = {
  id: "call-id-form",
  description: `A call id has 1 to ${MAX_LENGTH} characters.`,
  reference: "Duplicate ids",
  find: ({ calls }) =>
    calls
      .filter(({ call }) => (asText(call.id) ?? "") === "" || (call.id as string).length > MAX_LENGTH)
      .map((placed) => ({ place: idPlace(placed), problem: "the call id is missing or too long" })),
};

export const callIdOnce: LegalityRule<OpenAIChatView> = {
  id: "call-id-once",
  description: "A call id is used for one call of its batch.",
  reference: "Duplicate ids",
  find({ calls }) {
    const seen = new Set<string>();
    return calls
      .filter(({ call, message }) => {
        const key = `${message} ${asText(call.id)}`;
        return seen.has(key) || !seen.add(key);
      })
      .map((placed) => ({ place: idPlace(placed), problem: "another call of the batch has the same id" }));
  },
};
