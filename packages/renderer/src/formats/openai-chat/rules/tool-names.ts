import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, asText, isPlainObject } from "../../../legality/plain-object.ts";
import type { OpenAIChatView } from "../openai-chat-view.ts";

const PROBLEM = "the name has other signs";

export const toolNames: LegalityRule<OpenAIChatView> = {
  id: "tool-names",
  description: "Function names have at most 64 letters, digits, _ and -, in calls and definitions.",
  reference: "Tool definitions",
  find: ({ payload, calls }) => [
    ...asList(payload.tools).flatMap((tool, index) =>
      isPlainObject(tool) && isNamed(tool)
        ? []
        : [{ place: { path: `$.tools[${index}].function.name` }, problem: PROBLEM }],
    ),
    ...calls
      .filter(({ call }) => !isNamed(call))
      .map(({ message, index }) => ({
        place: at(message, undefined, `tool_calls[${index}].function.name`),
        problem: PROBLEM,
      })),
  ],
};

const isNamed = ({ type, function: named }: Readonly<Record<string, unknown>>): boolean =>
  type === "custom" || (isPlainObject(named) && /^[a-zA-Z0-9_-]{1,64}$/.test(asText(named.name) ?? ""));
