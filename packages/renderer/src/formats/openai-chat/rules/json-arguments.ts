import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asText, isPlainObject } from "../../../legality/plain-object.ts";
import type { OpenAIChatView, PlacedCall } from "../openai-chat-view.ts";

export const jsonArguments: LegalityRule<OpenAIChatView> = {
  id: "W19",
  description: "The arguments of a call are a string that holds a JSON object.",
  reference: "Arguments",
  find: ({ calls }) =>
    calls
      .filter(({ call }) => call.type !== "custom" && !holdsObject(call))
      .map(({ message, index }) => ({
        place: at(message, undefined, `tool_calls[${index}].function.arguments`),
        problem: "the arguments are no JSON object",
      })),
};

function holdsObject(call: PlacedCall["call"]): boolean {
  const text = isPlainObject(call.function) ? asText(call.function.arguments) : undefined;
  if (text === undefined) return false;
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}
