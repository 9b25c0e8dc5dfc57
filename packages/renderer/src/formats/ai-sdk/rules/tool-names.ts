import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, asText, isPlainObject } from "../../../legality/plain-object.ts";
import { type AiSdkView, placeOf } from "../ai-sdk-view.ts";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const PROBLEM = "the name has other signs";

export const toolNames: LegalityRule<AiSdkView> = {
  id: "tool-names",
  description: "Tool names have at most 64 letters, digits, _ and -, in calls and definitions.",
  reference: "Tool definitions",
  find: ({ payload, parts }) => [
    ...asList(payload.tools).flatMap((tool, index) =>
      isPlainObject(tool) && NAME.test(asText(tool.name) ?? "")
        ? []
        : [{ place: { path: `$.tools[${index}].name` }, problem: PROBLEM }],
    ),
    ...parts
      .filter(({ part }) => part.type === "tool-call" && !NAME.test(asText(part.toolName) ?? ""))
      .map((placed) => ({ place: placeOf(placed, "toolName"), problem: PROBLEM })),
  ],
};
