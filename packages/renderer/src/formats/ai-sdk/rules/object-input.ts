import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { isPlainObject } from "../../../legality/plain-object.ts";
import { type AiSdkView, placeOf } from "../ai-sdk-view.ts";

export const objectInput: LegalityRule<AiSdkView> = {
  id: "W19",
  description: "The input of a call is a JSON object.",
  reference: "Arguments",
  find: ({ parts }) =>
    parts
      .filter(({ part }) => part.type === "tool-call" && !isPlainObject(part.input))
      .map((placed) => ({ place: placeOf(placed, "input"), problem: "the input is no object" })),
};
