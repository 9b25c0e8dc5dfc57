import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, isPlainObject } from "../../../legality/plain-object.ts";
import { type AnthropicView, placeOf } from "../anthropic-view.ts";

export const failedResults: LegalityRule<AnthropicView> = {
  id: "failed-results",
  description: "A result that is marked as failed holds text alone.",
  reference: "Images/docs",
  find: (view) =>
    view.blocksOf("tool_result").flatMap((placed) => {
      if (placed.block.is_error !== true) return [];
      const index = asList(placed.block.content).findIndex((inner) => !isPlainObject(inner) || inner.type !== "text");
      if (index < 0) return [];
      return [{ place: placeOf(placed, `content[${index}]`), problem: "the failed result holds more than text" }];
    }),
};
