import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, isPlainObject } from "../../../legality/plain-object.ts";
import { type AiSdkView, placeOf } from "../ai-sdk-view.ts";

const PROBLEM = "the text is blank";
const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

/** The SDK drops empty texts itself and not those of white space. A tool may have nothing to say. */
export const noBlankText: LegalityRule<AiSdkView> = {
  id: "W11",
  description: "No text that somebody says is empty or white space only, and no instruction is.",
  reference: "Empty content",
  find: ({ payload, parts }) => [
    ...asList(payload.instructions).flatMap((message, index) =>
      isPlainObject(message) && isBlank(message.content)
        ? [{ place: { path: `$.instructions[${index}]` }, problem: PROBLEM }]
        : [],
    ),
    ...parts
      .filter(({ part }) => part.type === "text" && isBlank(part.text))
      .map((placed) => ({ place: placeOf(placed), problem: PROBLEM })),
  ],
};
