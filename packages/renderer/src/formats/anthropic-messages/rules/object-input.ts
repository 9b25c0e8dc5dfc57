import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { isPlainObject } from "../../../legality/plain-object.ts";
import { type AnthropicView, placeOf } from "../anthropic-view.ts";

export const objectInput: LegalityRule<AnthropicView> = {
  id: "W19",
  description: "The input of a call is a JSON object.",
  reference: "Arguments",
  find: (view) =>
    view
      .blocksOf("tool_use")
      .filter(({ block }) => !isPlainObject(block.input))
      .map((placed) => ({ place: placeOf(placed, "input"), problem: "the input is no object" })),
};
